// Drives the official Go libraries as a program would: jobs as JSON on standard input, one reply a line on standard output.
//
// A reply holds what a program reads (text, thought, calls, finish, tokens) and `dump`, everything that the library parsed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	prompt         = "How high is the Eiffel Tower?"
	maxTokens      = 500
	thinkingTokens = 2048
	timeout        = 2 * time.Second
	retries        = 2
	// A red dot.
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)

type tool struct{ name, description, field, result string }

var tools = []tool{
	{"get_weather", "The weather of a city", "city", `{"sky":"sunny","celsius":21}`},
	{"get_time", "The time in a zone", "zone", `{"time":"09:30"}`},
}

var citySchema = map[string]any{
	"type":                 "object",
	"properties":           map[string]any{"city": map[string]any{"type": "string"}, "population": map[string]any{"type": "integer"}},
	"required":             []string{"city", "population"},
	"additionalProperties": false,
}

type job struct {
	Client string `json:"client"`
	URL    string `json:"url"`
	Key    string `json:"key"`
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	Does   string `json:"does"`
	Signal string `json:"signal"`
}

func (j job) wantsTools() bool { return j.Does != "structured" && j.Does != "picture" }

// retries is how often the library may ask again, and timeout how long it waits; 0 is its own.
func (j job) retries() int {
	if j.Does == "retry" {
		return retries
	}
	return 0
}

func (j job) timeout() time.Duration {
	if j.Does == "wait briefly" {
		return timeout
	}
	return 10 * time.Minute
}

type call struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Cached int64 `json:"cached"`
}

type reply struct {
	Text      string          `json:"text"`
	Thought   string          `json:"thought"`
	Calls     []call          `json:"calls"`
	Finish    string          `json:"finish"`
	Tokens    tokens          `json:"tokens"`
	RequestID string          `json:"requestId,omitempty"`
	Dump      json.RawMessage `json:"dump,omitempty"`
	Count     int64           `json:"count,omitempty"`
	Vectors   [][]float64     `json:"vectors,omitempty"`
	// The type of an error, as programs tell errors apart, and its text.
	Error      string   `json:"error,omitempty"`
	Message    string   `json:"message,omitempty"`
	Status     int      `json:"status,omitempty"`
	Kind       []string `json:"kind,omitempty"`
	RetryAfter string   `json:"retryAfter,omitempty"`
}

// library is one official library with one job.
type library interface {
	answer(ctx context.Context) (reply, error)
	// secondTurn sends the results of the tools that the first answer called.
	secondTurn(ctx context.Context) (reply, error)
	// pieces reads the text of a stream until `read` answers false.
	pieces(ctx context.Context, read func(text string) bool) error
	count(ctx context.Context) (int64, error)
	vectors(ctx context.Context) ([][]float64, error)
	// failure tells what programs branch on.
	failure(err error) reply
}

var libraries = map[string]func(job) library{
	"openai-go":           newOpenAIChat,
	"openai-go responses": newOpenAIResponses,
	"anthropic-sdk-go":    newAnthropicMessages,
}

var errNone = errors.New("the library has no such call")

func resultOf(name string) string {
	for _, t := range tools {
		if t.name == name {
			return t.result
		}
	}
	return ""
}

func properties(field string) map[string]any {
	return map[string]any{field: map[string]any{"type": "string"}}
}

func requestID(answered *http.Response) string {
	if answered == nil {
		return ""
	}
	for _, name := range []string{"request-id", "x-request-id"} {
		if id := answered.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

func retryAfter(answered *http.Response) string {
	if answered == nil {
		return ""
	}
	return answered.Header.Get("retry-after")
}

func does(ctx context.Context, j job, used library) (reply, error) {
	switch j.Does {
	case "turn":
		return used.secondTurn(ctx)
	case "leave":
		found := reply{}
		err := used.pieces(ctx, func(text string) bool {
			found.Text = text
			return false
		})
		return found, err
	case "read on":
		found := reply{}
		err := used.pieces(ctx, func(text string) bool {
			if found.Text == "" {
				if told, err := http.Get(j.Signal); err == nil {
					told.Body.Close()
				}
			}
			found.Text += text
			return true
		})
		return found, err
	case "count":
		count, err := used.count(ctx)
		return reply{Count: count}, err
	case "embed":
		vectors, err := used.vectors(ctx)
		return reply{Vectors: vectors}, err
	default:
		return used.answer(ctx)
	}
}

func main() {
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	for _, j := range jobs {
		used := libraries[j.Client](j)
		found, err := does(context.Background(), j, used)
		if err != nil {
			found = used.failure(err)
			found.Error = fmt.Sprintf("%T", err)
			found.Message, _, _ = strings.Cut(err.Error(), " (request id:")
		}
		if found.Calls == nil {
			found.Calls = []call{}
		}
		if err := out.Encode(found); err != nil {
			panic(err)
		}
	}
}
