package main

import (
	"slices"
	"sort"
)

// What happened to a message after it was received: hand-overs, acknowledgements, or that nobody took it in time.

type link struct {
	kind, text, status string
	said               object
	place              *place
}

var later = map[string][]string{"accepted": {"processed", "rejected"}, "processed": {}, "rejected": {}}

func (v *verifier) chain() {
	handOvers, acknowledgements := v.bundle.list("hand_overs"), v.bundle.list("acknowledgements")
	for _, one := range handOvers {
		v.check("hand-over", func() { v.handOver(one.(object)) })
	}
	for _, one := range acknowledgements {
		if v.check("acknowledgement", func() { v.acknowledgement(one.(object)) }) {
			v.keys(one.(object).object("signature"), v.given.RecipientKeys)
		}
	}
	stated := len(handOvers) + len(acknowledgements)
	if expiry := v.bundle.object("expiry"); expiry != nil {
		v.check("expiry", func() { v.expiry(expiry) })
		stated++
	}
	if stated > 0 && stated == len(v.links) {
		v.check("chain", v.order)
	}
}

func (v *verifier) link(kind string, leaf byte, one object, own string) link {
	names, text := "at@ content_hash message party: "+own, one.text("statement")
	statement, isObject := parseJSON(text).(object)
	need(isObject, "malformed", "the statement is not an object")
	if kind != "acknowledgement" || statement.has("number") || statement.has("previous") {
		names += " number# previous?"
	}
	said, to := strict(text, "the statement", names, ""), partyOf(v.envelope.object("to")["party"])
	isSame := said.text("message") == v.envelope.text("id") && said.text("content_hash") == v.contentHash
	by := partyOf(said["party"])
	need(isSame, "another-message", "a statement of another message")
	need(to.kind != "handle" || by == to, "not-the-recipient", "a statement of somebody else than the recipient")
	found := v.policy.logged(one.text("proof"), leaf, text)
	need(seconds(said.text("at")) <= found.firstSeen()+clocksDifferS, "dated-after-proof", "from after a witness saw it")
	return link{kind: kind, text: text, said: said, place: found}
}

func (v *verifier) handOver(one object) {
	link := v.link("hand-over", 7, one, "way")
	need(slices.Contains([]string{"webhook", "consumer"}, link.said.text("way")), "malformed", "an unknown way")
	v.links = append(v.links, link)
	v.open["hand-over"] = true
}

func (v *verifier) acknowledgement(one object) {
	link := v.link("acknowledgement", 3, one, "actor: reason? status")
	said := link.said
	requireActor(said["actor"])
	link.status = said.text("status")
	_, isKnown := later[link.status]
	need(isKnown, "unknown-status", "the status %s is unknown", link.status)
	isWhole := false
	if signature := one.object("signature"); signature != nil {
		path := "/v1/messages/" + said.text("message") + "/acknowledge"
		body, isCovered := v.signed(signature, signer{said["party"], said.object("actor").text("id"), said.text("at"), path, link.place})
		isSaid := body["status"] == said["status"] && body["reason"] == said["reason"]
		need(isSaid && (!body.has("content_hash") || body["content_hash"] == said["content_hash"]), "another-content", "the request says something else")
		need(!body.has("number") || said.has("number") && body["number"] == said["number"], "another-number", "the request has another number")
		isWhole = isCovered && body.has("content_hash") && body.has("number")
	}
	v.links = append(v.links, link)
	// That another party is the recipient is the word of the service.
	if !isWhole || partyOf(said["party"]) != partyOf(v.envelope.object("to")["party"]) {
		v.open["acknowledgement"] = true
	}
}

func (v *verifier) expiry(one object) {
	link := v.link("expiry", 8, one, "expires_at@")
	limit := link.said.text("expires_at")
	need(limit == v.envelope.text("expires_at"), "another-content", "another time limit than that of the message")
	need(seconds(link.said.text("at")) >= seconds(limit), "expired-early", "from before the time limit of the message")
	v.links = append(v.links, link)
	v.open["expiry"] = true
}

func (v *verifier) order() {
	numberOf := func(link link) float64 { number, _ := link.said["number"].(float64); return number }
	sort.SliceStable(v.links, func(i, j int) bool { return numberOf(v.links[i]) < numberOf(v.links[j]) })
	var previous any
	numbered := 0
	for _, link := range v.links {
		if !link.said.has("number") {
			continue
		}
		number := numberOf(link)
		need(numbered == 0 || number != float64(numbered), "chain-repeat", "two statements have one number")
		numbered++
		need(number == float64(numbered), "chain-gap", "a statement is missing")
		need(link.said["previous"] == previous, "chain-broken", "a statement does not follow the one before")
		previous = named(link.text)
	}
	v.course()
}

func (v *verifier) course() {
	status, last := "", seconds(v.envelope.text("received_at"))
	for at, link := range v.links {
		when := seconds(link.said.text("at"))
		need(when+clocksDifferS >= last, "chain-time", "a statement comes after a later one")
		last = max(last, when)
		// Before there were numbers, the log took acknowledgements in any order.
		var earlier *place
		if at > 0 {
			earlier = v.links[at-1].place
		} else if link.said.has("number") {
			earlier = v.message
		}
		need(!isNotBefore(earlier, link.place), "chain-order", "a statement is in the log before what it follows")
		need(link.kind != "expiry" || at == 0, "expired-after-delivery", "the message was taken before it expired")
		if link.kind != "acknowledgement" {
			continue
		}
		need(status == "" || len(later[status]) > 0, "after-the-end", "a status comes after one that is final")
		need(status == "" || slices.Contains(later[status], link.status), "status-order", "a status comes after another one")
		status = link.status
	}
}
