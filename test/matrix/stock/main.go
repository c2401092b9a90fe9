// Go's net/http, with the signature verified by hand.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type Event struct{ ID, Type string }
type Effect struct { EventID string `json:"eventId"`; Type string `json:"type"`; Count int `json:"count"` }

var key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
var mutex sync.Mutex
var handled = map[string]Effect{}
var failing struct{ FailNext int }

func isGenuine(header http.Header, body []byte) bool {
	timestamp, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	age := time.Now().Unix() - timestamp
	if err != nil || age > 300 || age < -300 || header.Get("webhook-id") == "" { return false }
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), []byte(expected)) { return true }
	}
	return false
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil { w.WriteHeader(413); return }
	if r.Method != "POST" || !isGenuine(r.Header, body) { w.WriteHeader(401); return }
	var event Event
	if json.Unmarshal(body, &event) != nil { w.WriteHeader(400); return }
	mutex.Lock(); defer mutex.Unlock()
	if _, isKnown := handled[event.ID]; isKnown { w.WriteHeader(204); return }
	if failing.FailNext > 0 { failing.FailNext--; w.WriteHeader(500); return }
	handled[event.ID] = Effect{event.ID, event.Type, 1}
	w.WriteHeader(204)
}

func effects(w http.ResponseWriter, r *http.Request) {
	mutex.Lock(); defer mutex.Unlock()
	if r.Method == "PUT" { json.NewDecoder(r.Body).Decode(&failing); w.WriteHeader(204); return }
	all := []Effect{}
	for _, one := range handled { all = append(all, one) }
	json.NewEncoder(w).Encode(all)
}

func main() {
	http.HandleFunc("/webhooks", receive)
	http.HandleFunc("/effects", effects)
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
