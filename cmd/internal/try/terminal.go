package try

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// Model is the chat in a terminal: a transcript that scrolls, a line of what there is to know, and a
// line to type in.
type Model struct {
	session tryStage
	Input   inputLine
	page    viewport.Model
	lines   []Line
	width   int
	height  int
}

// chatInTerminal runs the chat until somebody ends it.
func chatInTerminal(ctx context.Context, s tryStage, sh cli.Shell) error {
	m := NewModel(s)
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(sh.Stdin), tea.WithOutput(sh.Stdout),
		tea.WithEnvironment(sh.Environ), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("show the chat: %w", err)
	}
	return nil
}

// NewModel returns the chat as a terminal shows it, before anybody typed.
func NewModel(s tryStage) *Model {
	m := &Model{session: s, page: viewport.New(), width: 80, height: 24}
	m.add(s.TakeLines())
	m.add([]Line{{kind: tryAside, text: s.greetingText()}})
	return m
}

// lookAgain is how often it is looked whether the files have changed while nobody types.
const lookAgain = time.Second

// TickMsg comes when it is time to look whether the files have changed.
type TickMsg struct{}

func tick() tea.Cmd { return tea.Tick(lookAgain, func(time.Time) tea.Msg { return TickMsg{} }) }

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return tick() }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.layout()
	case TickMsg:
		m.session.takeEdits()
		m.add(m.session.TakeLines())
		return m, tick()
	case tea.PasteMsg:
		m.Input.insert(msg.Content)
	case tea.MouseWheelMsg:
		var cmd tea.Cmd
		m.page, cmd = m.page.Update(msg)
		return m, cmd
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, nil
}

// key does what a key says.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c", "ctrl+d":
		return tea.Quit
	case "pgup":
		m.page.PageUp()
	case "pgdown":
		m.page.PageDown()
	case "ctrl+home":
		m.page.GotoTop()
	case "ctrl+end":
		m.page.GotoBottom()
	case "enter":
		m.add(m.session.Do(m.Input.takeLine()))
		m.session.playedLines() // that is for scripts
		m.page.GotoBottom()
		if m.session.isEnded() {
			return tea.Quit
		}
	default:
		m.Input.key(k)
	}
	return nil
}

// add puts lines at the end of the transcript, which scrolls with them when its end is seen.
func (m *Model) add(lines []Line) {
	if len(lines) > 0 {
		m.lines = append(m.lines, lines...)
		m.layout()
	}
}

// layout fits everything into the window.
func (m *Model) layout() {
	atEnd := m.page.AtBottom()
	m.page.SetWidth(m.width)
	m.page.SetHeight(max(1, m.height-2))
	var rows []string
	for i := range m.lines {
		rows = append(rows, m.lines[i].rows(m.width)...)
	}
	m.page.SetContentLines(rows)
	if atEnd {
		m.page.GotoBottom()
	}
}

const tryPrompt = "> "

// View implements tea.Model.
func (m *Model) View() tea.View {
	status := " " + strings.Join(m.session.StandingText(), " · ")
	if !m.page.AtBottom() {
		status = " ↓ more below ·" + status
	}
	status = lipgloss.NewStyle().Reverse(true).Width(m.width).MaxWidth(m.width).MaxHeight(1).Render(status)
	typed, cursor := m.Input.VisiblePart(m.width - len(tryPrompt))
	v := tea.NewView(strings.Join([]string{m.page.View(), status, tryPrompt + typed}, "\n"))
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "nectar try"
	v.Cursor = tea.NewCursor(len(tryPrompt)+cursor, m.page.Height()+1)
	return v
}

// rows returns the line as it fits into a width, in its colours.
func (l *Line) rows(width int) []string {
	first, others := l.leadTexts()
	room := max(10, width-lipgloss.Width(others))
	if lipgloss.Width(first) > lipgloss.Width(others) {
		room = max(10, width-lipgloss.Width(first))
	}
	style := l.style()
	var rows []string
	for i, row := range strings.Split(lipgloss.Wrap(l.text, room, " "), "\n") {
		lead := others
		if i == 0 {
			lead = first
		}
		rows = append(rows, style.Render(lead+row))
	}
	return rows
}

func (l *Line) style() lipgloss.Style {
	s := lipgloss.NewStyle()
	switch l.kind {
	case tryThey:
		return s.Bold(true)
	case tryBot:
		return s.Foreground(lipgloss.Cyan)
	case tryTrouble:
		return s.Foreground(lipgloss.Red)
	case tryAside, tryExplain, tryTime:
		return s.Faint(true)
	}
	return s
}
