package simulate_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// conditions returns what decides, or is returned or assigned, at the place: one, or the alternatives of a case.
func (s site) conditions() []ast.Expr {
	switch n := s.node.(type) {
	case *ast.IfStmt:
		return []ast.Expr{n.Cond}
	case *ast.ForStmt:
		return []ast.Expr{n.Cond}
	case *ast.CaseClause:
		return n.List
	case *ast.ReturnStmt:
		return n.Results
	case *ast.AssignStmt:
		return n.Rhs
	case *ast.KeyValueExpr:
		return []ast.Expr{n.Value}
	case ast.Expr:
		return []ast.Expr{n}
	}
	return nil
}

// condition returns the one condition of the place.
func (s site) condition() (ast.Expr, error) {
	if c := s.conditions(); len(c) == 1 && c[0] != nil {
		return c[0], nil
	}
	return nil, s.misfit("one condition")
}

// never makes the condition false. Nothing of it is worked out any more, but the compiler still sees it.
func never(s site) ([]edit, error) {
	var edits []edit
	for _, c := range s.conditions() {
		edits = append(edits, s.around(c, "(false && (", "))")...)
	}
	if len(edits) == 0 {
		return nil, s.misfit("a condition")
	}
	return edits, nil
}

// always makes the condition true, like never. Of alternatives one is enough.
func always(s site) ([]edit, error) {
	c := s.conditions()
	if len(c) == 0 || c[0] == nil {
		return nil, s.misfit("a condition")
	}
	return s.around(c[0], "(true || (", "))"), nil
}

// and makes the condition depend on something else, too.
func and(code string) change {
	return func(s site) ([]edit, error) {
		c, err := s.condition()
		if err != nil {
			return nil, err
		}
		return s.around(c, "((", ") && "+code+")"), nil
	}
}

// operands returns what && or || join in the condition, and which of them it is.
func (s site) operands() ([]ast.Expr, token.Token, error) {
	c, err := s.condition()
	if err != nil {
		return nil, 0, err
	}
	top, ok := ast.Unparen(c).(*ast.BinaryExpr)
	if !ok || top.Op != token.LAND && top.Op != token.LOR {
		return nil, 0, s.misfit("a condition of several operands")
	}
	var operands []ast.Expr
	var x ast.Expr = top
	for {
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != top.Op {
			break
		}
		operands, x = append(operands, b.Y), b.X
	}
	operands = append(operands, x)
	slices.Reverse(operands)
	return operands, top.Op, nil
}

// operand makes a change to the i-th of so many operands, counted from 1.
func operand(i, of int, do change) change {
	return func(s site) ([]edit, error) {
		operands, _, err := s.operands()
		if err != nil {
			return nil, err
		}
		if len(operands) != of {
			return nil, s.misfit(fmt.Sprintf("%d operands", of))
		}
		return do(s.part(operands[i-1]))
	}
}

// without drops the i-th of so many operands: it is what changes nothing.
func without(i, of int) change {
	return func(s site) ([]edit, error) {
		switch _, op, err := s.operands(); {
		case err != nil:
			return nil, err
		case op == token.LAND:
			return operand(i, of, always)(s)
		default:
			return operand(i, of, never)(s)
		}
	}
}

// alternative makes a change to the i-th of so many alternatives of a case.
func alternative(i, of int, do change) change {
	return func(s site) ([]edit, error) {
		c, ok := s.node.(*ast.CaseClause)
		if !ok || len(c.List) != of {
			return nil, s.misfit(fmt.Sprintf("a case of %d alternatives", of))
		}
		return do(s.part(c.List[i-1]))
	}
}
