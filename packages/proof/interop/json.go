package main

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON as ECMAScript reads it: numbers are doubles, the last of repeated members counts, and texts can have lone surrogates (as WTF-8).

type object map[string]any

// levelsMax bounds the stack. Messages have 1,000 levels at most.
const levelsMax = 5_000

type jsonReader struct {
	text  string
	at    int
	level int
	// spans has the texts of the members of the outermost object, as they are written.
	spans map[string]string
}

func parseJSON(text string) any { return readJSON(text).value }

func readJSON(text string) (read struct {
	value any
	spans map[string]string
}) {
	need(utf8.ValidString(text), "malformed", "not UTF-8")
	reader := &jsonReader{text: text, spans: map[string]string{}}
	reader.space()
	read.value = reader.value()
	reader.space()
	need(reader.at == len(text), "malformed", "more than one JSON value")
	read.spans = reader.spans
	return read
}

func (r *jsonReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *jsonReader) peek() byte {
	need(r.at < len(r.text), "malformed", "the JSON ends too early")
	return r.text[r.at]
}

func (r *jsonReader) take(expected string) {
	need(strings.HasPrefix(r.text[r.at:], expected), "malformed", "not JSON")
	r.at += len(expected)
}

func (r *jsonReader) value() any {
	switch r.peek() {
	case '{':
		return r.object()
	case '[':
		return r.list()
	case '"':
		return r.string()
	case 't':
		r.take("true")
		return true
	case 'f':
		r.take("false")
		return false
	case 'n':
		r.take("null")
		return nil
	}
	return r.number()
}

func (r *jsonReader) enter() {
	r.at++
	r.level++
	need(r.level <= levelsMax, "malformed", "the JSON has too many levels")
	r.space()
}

func (r *jsonReader) object() object {
	found := object{}
	for r.enter(); r.peek() != '}'; {
		name := r.string()
		r.space()
		r.take(":")
		r.space()
		start := r.at
		found[name] = r.value()
		if r.level == 1 {
			r.spans[name] = r.text[start:r.at]
		}
		r.next('}')
	}
	r.at++
	r.level--
	return found
}

func (r *jsonReader) list() []any {
	found := []any{}
	for r.enter(); r.peek() != ']'; {
		found = append(found, r.value())
		r.next(']')
	}
	r.at++
	r.level--
	return found
}

// next goes to the next element, or to the end of the list.
func (r *jsonReader) next(end byte) {
	r.space()
	if r.peek() == end {
		return
	}
	r.take(",")
	r.space()
	need(r.peek() != end, "malformed", "a comma at the end")
}

func (r *jsonReader) string() string {
	r.take("\"")
	var made []byte
	for r.peek() != '"' {
		character := r.text[r.at]
		need(character >= 0x20, "malformed", "a control character in a text")
		r.at++
		if character != '\\' {
			made = append(made, character)
			continue
		}
		escape := r.peek()
		r.at++
		if escape == 'u' {
			made = r.unicode(made)
			continue
		}
		plain := strings.IndexByte(`"\/bfnrt`, escape)
		need(plain >= 0, "malformed", "an unknown escape")
		made = append(made, "\"\\/\b\f\n\r\t"[plain])
	}
	r.at++
	return string(made)
}

func (r *jsonReader) unit() rune {
	need(r.at+4 <= len(r.text), "malformed", "a short escape")
	unit, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
	need(err == nil, "malformed", "an escape that is not hexadecimal")
	r.at += 4
	return rune(unit)
}

// unicode joins the halves of a pair, also when one of them stands alone before.
func (r *jsonReader) unicode(made []byte) []byte {
	unit := r.unit()
	if unit >= 0xd800 && unit < 0xdc00 && strings.HasPrefix(r.text[r.at:], `\u`) {
		before := r.at
		r.at += 2
		if low := r.unit(); low >= 0xdc00 && low < 0xe000 {
			return utf8.AppendRune(made, 0x10000+(unit-0xd800)<<10+(low-0xdc00))
		}
		r.at = before
	}
	if unit >= 0xd800 && unit < 0xe000 {
		return append(made, 0xed, 0x80|byte(unit>>6&0x3f), 0x80|byte(unit&0x3f))
	}
	return utf8.AppendRune(made, unit)
}

func (r *jsonReader) number() float64 {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.eE0123456789", r.text[r.at]) >= 0 {
		r.at++
	}
	written := r.text[start:r.at]
	digits := strings.TrimPrefix(written, "-")
	isPlain := digits != "" && digits[0] >= '0' && digits[0] <= '9' && !(len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	need(isPlain && whole != "" && (!hasFraction || fraction != "" && fraction[0] >= '0' && fraction[0] <= '9'), "malformed", "not a number")
	value, err := strconv.ParseFloat(written, 64)
	need(err == nil, "malformed", "a number beyond a double: %s", written)
	return value
}

// canonical is RFC 8785. A lone surrogate is escaped.
func canonical(value any) string {
	var out strings.Builder
	write(&out, value)
	return out.String()
}

func write(out *strings.Builder, value any) {
	switch value := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(value))
	case float64:
		out.WriteString(ecmaNumber(value))
	case string:
		writeString(out, value)
	case []any:
		for i, one := range value {
			out.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
			write(out, one)
		}
		out.WriteString(map[bool]string{true: "[]", false: "]"}[len(value) == 0])
	case object:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return lessUTF16(names[i], names[j]) })
		out.WriteString("{")
		for i, name := range names {
			out.WriteString(map[bool]string{true: "", false: ","}[i == 0])
			writeString(out, name)
			out.WriteString(":")
			write(out, value[name])
		}
		out.WriteString("}")
	}
}

func writeString(out *strings.Builder, text string) {
	out.WriteByte('"')
	for at := 0; at < len(text); {
		unit, size := decodeWTF8(text[at:])
		switch {
		case unit == '"' || unit == '\\':
			out.WriteByte('\\')
			out.WriteRune(unit)
		case unit < 0x20 && strings.ContainsRune("\b\f\n\r\t", unit):
			out.WriteByte('\\')
			out.WriteByte("bfnrt"[strings.IndexRune("\b\f\n\r\t", unit)])
		case unit < 0x20 || isSurrogate(unit):
			out.WriteString(`\u` + strconv.FormatInt(int64(unit)+0x10000, 16)[1:])
		default:
			out.WriteString(text[at : at+size])
		}
		at += size
	}
	out.WriteByte('"')
}

func isSurrogate(unit rune) bool { return unit >= 0xd800 && unit < 0xe000 }

func decodeWTF8(text string) (rune, int) {
	if len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 {
		return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(text)
}

func hasLoneSurrogate(text string) bool {
	for at := 0; at < len(text); {
		unit, size := decodeWTF8(text[at:])
		if isSurrogate(unit) {
			return true
		}
		at += size
	}
	return false
}

// lessUTF16 compares UTF-16 code units: those above U+FFFF begin with a surrogate, and come before U+E000.
func lessUTF16(one, other string) bool {
	for one != "" && other != "" {
		a, size := decodeWTF8(one)
		b, otherSize := decodeWTF8(other)
		if a != b {
			return leadUnit(a) < leadUnit(b) || leadUnit(a) == leadUnit(b) && a < b
		}
		one, other = one[size:], other[otherSize:]
	}
	return one == "" && other != ""
}

func leadUnit(point rune) rune {
	if point > 0xffff {
		return 0xd800 + (point-0x10000)>>10
	}
	return point
}

func ecmaNumber(value float64) string {
	if value == 0 {
		return "0"
	}
	text := strconv.FormatFloat(value, 'e', -1, 64)
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	mantissa, exponentText, _ := strings.Cut(text, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exponent, _ := strconv.Atoi(exponentText)
	point := exponent + 1
	switch {
	case point > 0 && point <= 21 && len(digits) <= point:
		return sign + digits + strings.Repeat("0", point-len(digits))
	case point > 0 && point <= 21:
		return sign + digits[:point] + "." + digits[point:]
	case point > -6 && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	if exponent >= 0 {
		return sign + digits + "e+" + strconv.Itoa(exponent)
	}
	return sign + digits + "e" + strconv.Itoa(exponent)
}
