// A sender of Standard Webhooks with Go's standard library only, and faults planted in it.
//
// go run sender.go [FAULT]: the same addresses and environment as sender.py.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Name, requirements of which one should be reported, description.
var faults = [][3]string{
	{"date_as_local", "P-EVENT-RETRY-AFTER", "reads the date of Retry-After two hours too early"},
	{"no_backoff", "P-EVENT-BACKOFF P-EVENT-RETRY", "retries at once, in a loop"},
	{"refusal_succeeds", "P-EVENT-SUCCESS P-EVENT-RETRY", "takes 4xx for success"},
	{"time_before_id", "P-EVENT-SIGNED", "signs the timestamp before the id"},
	{"milliseconds", "P-EVENT-TIMESTAMP P-EVENT-SIGNED", "sends the timestamp in milliseconds"},
	{"newest_first", "P-EVENT-RETRY P-EVENT-ISOLATED P-EVENT-ARRIVES", "one worker sends the newest event first, and older ones wait"},
	{"twice_at_once", "P-EVENT-SUCCESS P-EVENT-ID-KEPT", "makes each attempt twice in parallel"},
	{"truncated", "P-EVENT-SIGNED", "sends the first 100 bytes of the body"},
	{"no_media_type", "P-EVENT-HEADERS", "sends no Content-Type"},
	{"id_of_second", "P-EVENT-ID-UNIQUE P-EVENT-ID-KEPT P-EVENT-SIGNED", "events of one second share an id"},
	{"hexadecimal", "P-EVENT-SIGNED", "encodes the signature as hexadecimal"},
	{"secret_in_query", "P-EVENT-NO-SECRETS", "adds the secret to the address"},
	{"compressed", "P-EVENT-SIGNED P-EVENT-HEADERS", "sends the body compressed and signs it as it was"},
	{"only_200", "P-EVENT-SUCCESS", "takes other answers of 2xx for failures"},
	{"day_of_retry_after", "P-EVENT-RETRY-AFTER", "waits for as long as Retry-After says, without a bound"},
}

type endpoint struct {
	url              string
	secrets          []string // newest first
	gone, subscribed bool
}

type event struct {
	id   string
	body []byte
	to   *endpoint
}

var (
	fault  = append(os.Args, "")[1]
	mutex  sync.Mutex
	known  = map[string]*endpoint{}
	queue  []event
	client = &http.Client{
		Timeout:       seconds("TIMEOUT", 5),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
)

func seconds(name string, otherwise float64) time.Duration {
	if value, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		otherwise = value
	}
	return time.Duration(otherwise * float64(time.Second))
}

func random(prefix string) string {
	value := make([]byte, 12)
	if _, err := rand.Read(value); err != nil {
		panic(err)
	}
	return prefix + hex.EncodeToString(value)
}

func sign(keys []string, id, at string, body []byte) string {
	var list []string
	for _, secret := range keys {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac := hmac.New(sha256.New, key)
		first, second := id, at
		if fault == "time_before_id" {
			first, second = at, id
		}
		fmt.Fprintf(mac, "%s.%s.%s", first, second, body)
		text := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if fault == "hexadecimal" {
			text = hex.EncodeToString(mac.Sum(nil))
		}
		list = append(list, "v1,"+text)
	}
	return strings.Join(list, " ")
}

// Makes one attempt; the status is 0 without an answer.
func attempt(e event) (int, string) {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	if fault == "milliseconds" {
		at = strconv.FormatInt(time.Now().UnixMilli(), 10)
	}
	sent, address := e.body, e.to.url
	mutex.Lock()
	signature := sign(e.to.secrets, e.id, at, e.body)
	if fault == "secret_in_query" {
		address += "?key=" + url.QueryEscape(e.to.secrets[0])
	}
	mutex.Unlock()
	if fault == "truncated" && len(sent) > 100 {
		sent = sent[:100]
	}
	if fault == "compressed" {
		var zipped bytes.Buffer
		writer := gzip.NewWriter(&zipped)
		writer.Write(sent)
		writer.Close()
		sent = zipped.Bytes()
	}
	request, err := http.NewRequestWithContext(context.Background(), "POST", address, bytes.NewReader(sent))
	if err != nil {
		return 0, ""
	}
	request.Header.Set("User-Agent", "sender-go/1")
	if fault != "no_media_type" {
		request.Header.Set("Content-Type", "application/json")
	}
	if fault == "compressed" {
		request.Header.Set("Content-Encoding", "gzip")
	}
	request.Header.Set("webhook-id", e.id)
	request.Header.Set("webhook-timestamp", at)
	request.Header.Set("webhook-signature", signature)
	answer, err := client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, io.LimitReader(answer.Body, 65536))
	return answer.StatusCode, answer.Header.Get("Retry-After")
}

// Returns the time that a Retry-After asks for, at most a minute.
func delayOf(text string) time.Duration {
	var delay time.Duration
	if count, err := strconv.Atoi(text); err == nil {
		delay = time.Duration(count) * time.Second
	} else if date, err := http.ParseTime(text); err == nil {
		delay = time.Until(date)
		if fault == "date_as_local" {
			delay -= 2 * time.Hour
		}
	}
	if delay > time.Minute && fault != "day_of_retry_after" {
		return time.Minute
	}
	return delay
}

func deliver(e event) {
	for _, text := range append(strings.Split(os.Getenv("BACKOFF"), ","), "0") {
		mutex.Lock()
		stopped := e.to.gone
		mutex.Unlock()
		if stopped {
			return
		}
		if fault == "twice_at_once" {
			go attempt(e)
		}
		status, retryAfter := attempt(e)
		if status == 410 {
			mutex.Lock()
			e.to.gone = true
			mutex.Unlock()
			return
		}
		if fault == "only_200" && status > 200 && status < 300 {
			status = 500
		}
		if status >= 200 && status < 300 || fault == "refusal_succeeds" && status >= 400 && status < 500 {
			return
		}
		pause, err := strconv.ParseFloat(text, 64)
		if err != nil {
			pause = 1
		}
		wait := time.Duration(pause * float64(time.Second))
		if asked := delayOf(retryAfter); asked > wait {
			wait = asked
		}
		if fault != "no_backoff" {
			time.Sleep(wait)
		}
	}
}

// The worker of newest_first: takes the event that was added last.
func work() {
	for range time.Tick(50 * time.Millisecond) {
		mutex.Lock()
		var next []event
		if last := len(queue) - 1; last >= 0 {
			next, queue = queue[last:], queue[:last:last]
		}
		mutex.Unlock()
		for _, e := range next {
			deliver(e)
		}
	}
}

func control(response http.ResponseWriter, request *http.Request) {
	mutex.Lock()
	defer mutex.Unlock()
	var given struct{ Url, Secret string }
	kind := request.URL.Query().Get("type")
	isType := kind == "" || regexp.MustCompile(`^[\w.]+$`).MatchString(kind)
	if json.NewDecoder(request.Body).Decode(&given) != nil || !isType {
		response.WriteHeader(400)
		return
	}
	to := known[given.Url]
	if to == nil && given.Url != "" {
		to = &endpoint{url: given.Url}
		known[given.Url] = to
	}
	for _, each := range known {
		isMeant := to == nil || each == to
		if isMeant && (len(each.secrets) == 0 || each.secrets[0] != given.Secret) {
			each.secrets = append([]string{given.Secret}, each.secrets...)
		}
		if len(each.secrets) > 2 {
			each.secrets = each.secrets[:2]
		}
	}
	switch request.URL.Path {
	case "/endpoints":
		to.gone, to.subscribed = false, true
	case "/send":
		now := time.Now().UTC()
		data := map[string]any{"id": random("pay_"), "note": "café"}
		body, _ := json.Marshal(map[string]any{"type": kind, "timestamp": now.Format(time.RFC3339), "data": data})
		id := random("msg_")
		if fault == "id_of_second" {
			id = fmt.Sprintf("msg_%d", now.Unix())
		}
		for _, each := range known {
			if each != to && !each.subscribed {
				continue
			}
			if e := (event{id, body, each}); fault == "newest_first" {
				queue = append(queue, e)
			} else {
				go deliver(e)
			}
		}
	}
	response.WriteHeader(202)
}

func main() {
	if fault == "--list" {
		var list []map[string]any
		for _, f := range faults {
			list = append(list, map[string]any{"name": f[0], "expect": strings.Fields(f[1]), "line": f[2]})
		}
		json.NewEncoder(os.Stdout).Encode(list)
		return
	}
	if pem, err := os.ReadFile(os.Getenv("CA_FILE")); err == nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	}
	if fault == "newest_first" {
		go work()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("ready %d\n", listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, http.HandlerFunc(control))
}
