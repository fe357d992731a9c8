package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// measuredTable is where a page has a table: <!-- table speed.json -->, or <!-- table speed.json --short -->, and all up to the end.
var measuredTable = regexp.MustCompile(`(?s)(<!-- table (\S+\.json)( --short)? -->\n).*?(<!-- end of the table -->)`)

// writePages writes the pictures of a folder, and the tables of its page and of README.md, out of what was measured.
func writePages(folder string) error {
	pages, err := renderPages(folder)
	if err != nil {
		return err
	}
	for path, content := range pages {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return fmt.Errorf("write a page: %w", err)
		}
	}
	return nil
}

// renderPages returns what has to stand in each file that shows what was measured.
func renderPages(folder string) (map[string]string, error) {
	pages := map[string]string{}
	for _, q := range questions {
		m, err := readMeasured(filepath.Join(folder, q.file+".json"))
		if err != nil {
			return nil, err
		}
		pages[filepath.Join(folder, q.file+".svg")] = m.draw()
	}
	for _, page := range []string{filepath.Clean(folder) + ".md", filepath.Join(folder, "..", "..", "README.md")} {
		content, err := os.ReadFile(page) //nolint:gosec // it belongs to the folder that was named
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		pages[page] = measuredTable.ReplaceAllStringFunc(string(content), func(old string) string {
			part := measuredTable.FindStringSubmatch(old)
			m, bad := readMeasured(filepath.Join(folder, part[2]))
			if bad != nil {
				err = bad
				return old
			}
			return part[1] + m.renderTable(part[3] != "") + part[4]
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page, err)
		}
		if !strings.Contains(pages[page], "<!-- table ") {
			return nil, fmt.Errorf("%s has no table of what was measured", page)
		}
	}
	return pages, nil
}
