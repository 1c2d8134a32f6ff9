// Drives the official Go libraries as a program would: jobs as JSON on standard input, one reply a line on standard output.
//
// A reply holds what a program reads (text, thought, calls, finish, tokens) and `dump`, everything that the library parsed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

const (
	prompt    = "How high is the Eiffel Tower?"
	maxTokens = 500
)

type tool struct{ name, description, field string }

var tools = []tool{
	{"get_weather", "The weather of a city", "city"},
	{"get_time", "The time in a zone", "zone"},
}

type job struct {
	Client string `json:"client"`
	URL    string `json:"url"`
	Key    string `json:"key"`
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
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
	Text    string          `json:"text"`
	Thought string          `json:"thought"`
	Calls   []call          `json:"calls"`
	Finish  string          `json:"finish"`
	Tokens  tokens          `json:"tokens"`
	Dump    json.RawMessage `json:"dump,omitempty"`
	Error   string          `json:"error,omitempty"`
	Status  int             `json:"status,omitempty"`
}

func properties(field string) map[string]any {
	return map[string]any{field: map[string]any{"type": "string"}}
}

func openaiChat(ctx context.Context, j job) (reply, error) {
	client := openai.NewClient(openaioption.WithBaseURL(j.URL+"/v1/"), openaioption.WithAPIKey(j.Key), openaioption.WithMaxRetries(0))
	params := openai.ChatCompletionNewParams{
		Model:    j.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
	for _, t := range tools {
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name:        t.name,
			Description: openai.String(t.description),
			Parameters:  shared.FunctionParameters{"type": "object", "properties": properties(t.field), "required": []string{t.field}},
		}))
	}
	var answer openai.ChatCompletion
	if j.Stream {
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		joined := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			if !joined.AddChunk(stream.Current()) {
				return reply{}, errors.New("the library could not join the stream")
			}
		}
		if err := stream.Err(); err != nil {
			return reply{}, err
		}
		answer = joined.ChatCompletion
	} else {
		whole, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return reply{}, err
		}
		answer = *whole
	}
	if len(answer.Choices) == 0 {
		return reply{}, errors.New("the answer has no choice")
	}
	message := answer.Choices[0].Message
	found := reply{
		Text:   message.Content + message.Refusal,
		Finish: answer.Choices[0].FinishReason,
		Tokens: tokens{answer.Usage.PromptTokens, answer.Usage.CompletionTokens, answer.Usage.PromptTokensDetails.CachedTokens},
	}
	for _, c := range message.ToolCalls {
		found.Calls = append(found.Calls, call{c.Function.Name, json.RawMessage(c.Function.Arguments)})
	}
	found.Dump, _ = json.Marshal(answer)
	return found, nil
}

func anthropicMessages(ctx context.Context, j job) (reply, error) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(j.URL), anthropicoption.WithAPIKey(j.Key), anthropicoption.WithMaxRetries(0))
	params := anthropic.MessageNewParams{
		Model:     anthropic.Model(j.Model),
		MaxTokens: maxTokens,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
	}
	for _, t := range tools {
		params.Tools = append(params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        t.name,
			Description: anthropic.String(t.description),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: properties(t.field), Required: []string{t.field}},
		}})
	}
	answer := anthropic.Message{}
	if j.Stream {
		stream := client.Messages.NewStreaming(ctx, params)
		for stream.Next() {
			if err := answer.Accumulate(stream.Current()); err != nil {
				return reply{}, err
			}
		}
		if err := stream.Err(); err != nil {
			return reply{}, err
		}
	} else {
		whole, err := client.Messages.New(ctx, params)
		if err != nil {
			return reply{}, err
		}
		answer = *whole
	}
	usage := answer.Usage
	found := reply{
		Finish: string(answer.StopReason),
		Tokens: tokens{usage.InputTokens + usage.CacheReadInputTokens + usage.CacheCreationInputTokens, usage.OutputTokens, usage.CacheReadInputTokens},
	}
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			found.Text += block.Text
		case "thinking":
			found.Thought += block.Thinking
		case "tool_use":
			found.Calls = append(found.Calls, call{block.Name, block.Input})
		}
	}
	found.Dump, _ = json.Marshal(answer)
	return found, nil
}

var clients = map[string]func(context.Context, job) (reply, error){
	"openai-go":        openaiChat,
	"anthropic-sdk-go": anthropicMessages,
}

func statusOf(err error) int {
	var fromOpenAI *openai.Error
	if errors.As(err, &fromOpenAI) {
		return fromOpenAI.StatusCode
	}
	var fromAnthropic *anthropic.Error
	if errors.As(err, &fromAnthropic) {
		return fromAnthropic.StatusCode
	}
	return 0
}

func main() {
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	for _, j := range jobs {
		found, err := clients[j.Client](context.Background(), j)
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), " (request id:")
			found = reply{Error: text, Status: statusOf(err)}
		}
		if found.Calls == nil {
			found.Calls = []call{}
		}
		if err := out.Encode(found); err != nil {
			panic(err)
		}
	}
}
