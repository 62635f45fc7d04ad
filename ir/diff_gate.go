package ir

// gate compares the gates of two steps that are the same one.
func (d *differ) gate(from, to *Step) {
	old, next := gateKind(from), gateKind(to)
	at := Change{Group: Gates, Step: to.ID, Pos: to.Pos}
	switch {
	case old == "" && next == "":
		return
	case old == "":
		at.Kind, at.Message, at.New = "gate-added", next+" gate added", gateText(to)
		d.add(at)
		return
	case next == "":
		at.Kind, at.Message, at.Old, at.Weakens = "gate-removed", old+" gate removed", gateText(from), true
		d.add(at)
		return
	case old != next:
		at.Kind, at.Message, at.Old, at.New, at.Weakens = "gate-weakened", "another kind of gate", old, next, next == "input"
		d.add(at)
	}
	if from.Approval != nil && to.Approval != nil {
		d.approval(from.Approval, to.Approval, at)
	}
	if from.Input != nil && to.Input != nil {
		d.input(from.Input, to.Input, at)
	}
}

func (d *differ) approval(from, to *Approval, at Change) {
	change := func(message, old, next string, weakens bool) {
		if old == next {
			return
		}
		c := at
		c.Kind, c.Message, c.Weakens = "gate-changed", message, weakens
		if weakens {
			c.Kind = "gate-weakened"
		}
		c.Old, c.New = old, next
		d.add(c)
	}
	change("prompt changed", d.spell(from.Prompt), to.Prompt.String(), false)
	change("preview changed", d.spell(from.Preview), to.Preview.String(), false)
	change("items shown changed", encodeLiteral(from.Items).JSON(), encodeLiteral(to.Items).JSON(), false)

	old, next := d.spell(from.RequiredApprover), to.RequiredApprover.String()
	_, fixed := from.RequiredApprover.Constant()
	_, stillFixed := to.RequiredApprover.Constant()
	switch {
	case old == "":
		change("an approver is now required", old, next, false)
	case next == "":
		change("no approver is required any more", old, next, true)
	default:
		change("the required approver changed", old, next, fixed && !stillFixed)
	}

	was, is := isTrue(from.DifferentApprover), isTrue(to.DifferentApprover)
	change(differentMessage(is), differentText(from.DifferentApprover), differentText(to.DifferentApprover), was && !is)
	change("who counts as the initiator changed", d.spell(from.InitiatedBy), to.InitiatedBy.String(), is && was && to.InitiatedBy == nil)
}

func (d *differ) input(from, to *Input, at Change) {
	at.Kind = "gate-changed"
	at.Message = "prompt changed"
	d.text(at, d.spell(from.Prompt), to.Prompt.String())
	at.Message = "schema of the answer changed"
	d.text(at, encodeLiteral(from.Schema).JSON(), encodeLiteral(to.Schema).JSON())
	at.Message = "defaults changed"
	d.text(at, encodeLiteral(from.Defaults).JSON(), encodeLiteral(to.Defaults).JSON())
}

func isTrue(b *bool) bool { return b != nil && *b }

func differentText(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "another approver than the initiator"
	}
	return "anyone"
}

func differentMessage(required bool) string {
	if required {
		return "who starts the run may no longer approve it"
	}
	return "who starts the run may now approve it"
}
