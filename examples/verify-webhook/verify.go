package waybill

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var form = regexp.MustCompile(`^t=([0-9]+)((?:,v1=[0-9a-f]{64})+)$`)

// IsGenuine takes the whole secret (whsec_…), the header Waybill-Signature and the body's bytes.
func IsGenuine(secret, signature string, body []byte) bool {
	parts := form.FindStringSubmatch(signature)
	if parts == nil {
		return false
	}
	signedAt, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || time.Since(time.Unix(signedAt, 0)).Abs() > 300*time.Second {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(parts[1] + "."))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	return slices.ContainsFunc(strings.Split(parts[2], ",v1="), func(v1 string) bool {
		return hmac.Equal([]byte(v1), []byte(expected))
	})
}
