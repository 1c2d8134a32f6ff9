package provider

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// timeout is longer than any operation that the provider calls takes.
	timeout = 60 * time.Second
	// triesMax and waitMax bound how long a gateway that asks for patience is waited for: a
	// management key has 120 calls a minute.
	triesMax = 5
	waitMax  = 65 * time.Second
	// replyMax is far above the reply of any operation here.
	replyMax = 32 << 20
)

// client calls the management API.
type client struct {
	base  string
	key   string
	agent string
	http  *http.Client
	// checks says that the gateway knows dry runs: plans ask it what it would refuse.
	checks bool
}

// refusal is the answer of a gateway that does not do what it is asked to.
type refusal struct {
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Fields  map[string]string `json:"fields"`
}

func (r *refusal) Error() string {
	if r.Code == "" {
		return r.Message
	}
	return fmt.Sprintf("%s (%s)", r.Message, r.Code)
}

func newClient(base, key, version string) *client {
	return &client{
		base:  strings.TrimRight(base, "/"),
		key:   key,
		agent: "terraform-provider-tollgate/" + version,
		http:  &http.Client{Timeout: timeout},
	}
}

type request struct {
	call
	id     string
	body   map[string]any
	dryRun bool
}

// send returns the member `data` of the reply; the error is a *refusal where the gateway answers.
func (c *client) send(ctx context.Context, asked request) (any, error) {
	var body []byte
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return nil, err
		}
		body = text
	}
	// A creation whose reply was lost is asked for again by the same key: it is made once.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		data, wait, err := c.sendOnce(ctx, asked, body, hex.EncodeToString(key))
		if wait == 0 || try == triesMax {
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(wait, waitMax)):
		}
	}
}

// sendOnce returns besides how long to wait before the same request may be sent again; 0 for never.
func (c *client) sendOnce(ctx context.Context, asked request, body []byte, idempotency string) (any, time.Duration, error) {
	address := c.base + strings.ReplaceAll(asked.Path, "{id}", url.PathEscape(asked.id))
	made, err := http.NewRequestWithContext(ctx, asked.Method, address, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	made.Header.Set("Authorization", "Bearer "+c.key)
	made.Header.Set("User-Agent", c.agent)
	made.Header.Set("Content-Type", "application/json")
	if asked.dryRun {
		made.Header.Set(theContract.Headers.DryRun.Name, theContract.Headers.DryRun.Value)
	} else if asked.Method != http.MethodGet {
		made.Header.Set(theContract.Headers.Idempotency, idempotency)
	}
	// A change may carry a difference, which must not be applied twice.
	repeatable := time.Second
	if asked.Method == http.MethodPut && !asked.dryRun {
		repeatable = 0
	}
	answer, err := c.http.Do(made)
	if err != nil {
		return nil, repeatable, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, replyMax))
	if err != nil {
		return nil, repeatable, err
	}
	if answer.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return nil, time.Duration(max(seconds, 1)) * time.Second, readRefusal(answer, text)
	}
	if answer.StatusCode >= 502 && answer.StatusCode <= 504 {
		return nil, repeatable, readRefusal(answer, text)
	}
	var envelope struct {
		Success bool `json:"success"`
		Data    any  `json:"data"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&envelope); err != nil || !envelope.Success {
		return nil, 0, readRefusal(answer, text)
	}
	return envelope.Data, 0, nil
}

func readRefusal(answer *http.Response, text []byte) error {
	var read refusal
	if err := json.Unmarshal(text, &read); err != nil || read.Message == "" {
		read = refusal{Message: fmt.Sprintf("%s answered %s, which is no reply of a gateway", answer.Request.URL.Redacted(), answer.Status)}
	}
	return &read
}
