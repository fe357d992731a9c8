package emulator

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
)

// The longest texts that are taken, in runes.
const (
	maxMessage = 3000
	maxPost    = 600
)

// imageText is what a picture says in lists of messages.
const imageText = "Image"

// message is a private message.
type message struct {
	id       platform.MessageID
	shown    platform.MessageID // the id under which it shows; 0: its own
	from, to *user
	text     string
	image    string // address of the picture, "" for none
	at       time.Time
	gone     [2]bool // deleted for the sender, for the reader
}

// The refusals of send_message. Their code is the same: only the text tells them apart.
var (
	refuseInterlocutor = &refusal{codeInvalid, "Interlocutor ID is missing or invalid", "invalid_user_id"}
	refuseText         = &refusal{codeInvalid, "Message text is missing or too long", "invalid_message"}
	refusePermission   = &refusal{codeInvalid, "You have no permission to write to this chat", "no_permission"}
	refuseBlocked      = &refusal{codeInvalid, "This account has blocked you, or you have blocked it", "blocked"}
	refuseMediaType    = &refusal{codeInvalid, "Media type is missing or invalid", "invalid_media_type"}
)

// cleanText returns a text as the platform stores it.
func (p *Platform) cleanText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !p.dialect.KeepsSpaces {
		text = strings.Trim(text, " \t\n\r\x00\x0b") // as PHP's trim does
	}
	return strings.Clone(text) // text may be a part of a whole request
}

// tooLong reports whether text has more than limit runes.
func tooLong(text string, limit int) bool {
	return len(text) > limit && utf8.RuneCountInString(text) > limit
}

// isBlank reports whether there is nothing to read in text.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// send stores a message and enters it into the ledger, or tells why not.
func (p *Platform) send(m message, kind EntryKind) (*message, *refusal) {
	switch {
	case m.from == nil || m.to == nil || m.from == m.to:
		return nil, refuseInterlocutor
	case m.from.cutOff(m.to):
		return nil, refuseBlocked
	case m.to.person.RefuseMessages && !m.to.following.has(m.from):
		return nil, refusePermission
	}
	if m.image != "" {
		m.text = imageText
	} else if m.text = p.cleanText(m.text); isBlank(m.text) || tooLong(m.text, maxMessage) {
		return nil, refuseText
	}
	m.id = p.ids.nextMessage()
	stored := &m
	stored.at = p.ledger.add(Entry{
		Kind: kind, From: m.from.id, To: m.to.id, Message: m.id, Text: m.text, ByAPI: kind == Arrived,
	}).At
	p.messages = append(p.messages, stored)
	p.misnumbered.numberMessage(stored)
	p.chatOf(m.from, m.to).append(stored)
	return stored, nil
}

// messageByID returns the message of that id, nil for none.
func (p *Platform) messageByID(id platform.MessageID) *message {
	list := p.misnumbered.inOrder(p.messages)
	if i := searchMessages(list, id); i < len(list) && list[i].shownID() == id {
		return list[i]
	}
	return nil
}

// searchMessages returns the position of the first message of an ordered list that does not show below id.
func searchMessages(list []*message, id platform.MessageID) int {
	i, _ := slices.BinarySearchFunc(list, id, func(m *message, id platform.MessageID) int {
		return cmp.Compare(m.shownID(), id)
	})
	return i
}

// goneFor reports whether u deleted the message.
func (m *message) goneFor(u *user) bool { return m.gone[m.sideOf(u)] }

// sideOf returns 0 for the sender and 1 for the reader.
func (m *message) sideOf(u *user) int {
	if u == m.from {
		return 0
	}
	return 1
}

// beginMessage begins a message as viewer sees it; the caller may add members, and closes it.
func (e *encoder) beginMessage(m *message, viewer *user, seen bool) {
	e.openObject()
	e.writeNumber("id", int64(m.shownID()))
	e.writeNumber("sent_by", int64(m.from.id))
	e.writeNumber("sent_to", int64(m.to.id))
	e.writeFlag("owner", m.from == viewer)
	e.writeProse("message", m.text)
	e.text("media_file", m.image)
	if m.image == "" {
		e.text("media_type", "none")
	} else {
		e.text("media_type", "image")
	}
	e.writeDigit("seen", seen)
	e.deleted("deleted_fs1", m.gone[0])
	e.deleted("deleted_fs2", m.gone[1])
	e.writeShown("time", m.at, messageLayout)
	if m.from == viewer {
		e.text("side", "right")
	} else {
		e.text("side", "left")
	}
	e.writeExtra()
}

func (e *encoder) deleted(k string, gone bool) {
	if gone {
		e.text(k, "Y")
	} else {
		e.text(k, "N")
	}
}
