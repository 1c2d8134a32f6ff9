package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

type anthropicMessages struct {
	job      job
	client   anthropic.Client
	answered *http.Response
}

func newAnthropicMessages(j job) library {
	return &anthropicMessages{job: j, client: anthropic.NewClient(
		option.WithBaseURL(j.URL),
		option.WithAPIKey(j.Key),
		option.WithMaxRetries(j.retries()),
		option.WithRequestTimeout(j.timeout()),
	)}
}

func (l *anthropicMessages) request() anthropic.MessageNewParams {
	content := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(prompt)}
	if l.job.Does == "picture" {
		content = append(content, anthropic.NewImageBlockBase64("image/png", picture))
	}
	params := anthropic.MessageNewParams{
		Model:     anthropic.Model(l.job.Model),
		MaxTokens: maxTokens,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(content...)},
	}
	if l.job.wantsTools() {
		for _, t := range tools {
			params.Tools = append(params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
				Name:        t.name,
				Description: anthropic.String(t.description),
				InputSchema: anthropic.ToolInputSchemaParam{Properties: properties(t.field), Required: []string{t.field}},
			}})
		}
	}
	switch l.job.Does {
	case "turn":
		params.Thinking = anthropic.ThinkingConfigParamOfEnabled(thinkingTokens)
		params.MaxTokens += thinkingTokens
	case "structured":
		params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: citySchema}
	}
	return params
}

func (l *anthropicMessages) send(ctx context.Context, params anthropic.MessageNewParams) (anthropic.Message, error) {
	keep := option.WithResponseInto(&l.answered)
	answer := anthropic.Message{}
	if !l.job.Stream {
		whole, err := l.client.Messages.New(ctx, params, keep)
		if err != nil {
			return answer, err
		}
		return *whole, nil
	}
	stream := l.client.Messages.NewStreaming(ctx, params, keep)
	for stream.Next() {
		if err := answer.Accumulate(stream.Current()); err != nil {
			return answer, err
		}
	}
	return answer, stream.Err()
}

func (l *anthropicMessages) read(answer anthropic.Message) reply {
	usage := answer.Usage
	found := reply{
		Finish:    string(answer.StopReason),
		Tokens:    tokens{usage.InputTokens + usage.CacheReadInputTokens + usage.CacheCreationInputTokens, usage.OutputTokens, usage.CacheReadInputTokens},
		RequestID: requestID(l.answered),
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
	return found
}

func (l *anthropicMessages) answer(ctx context.Context) (reply, error) {
	answer, err := l.send(ctx, l.request())
	if err != nil {
		return reply{}, err
	}
	return l.read(answer), nil
}

func (l *anthropicMessages) secondTurn(ctx context.Context) (reply, error) {
	params := l.request()
	first, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	results := []anthropic.ContentBlockParamUnion{}
	for _, block := range first.Content {
		if block.Type == "tool_use" {
			results = append(results, anthropic.NewToolResultBlock(block.ID, resultOf(block.Name), false))
		}
	}
	params.Messages = append(params.Messages, first.ToParam(), anthropic.NewUserMessage(results...))
	last, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	found, begun := l.read(last), l.read(first)
	found.Calls, found.Thought = begun.Calls, begun.Thought
	return found, nil
}

func (l *anthropicMessages) pieces(ctx context.Context, read func(string) bool) error {
	stream := l.client.Messages.NewStreaming(ctx, l.request())
	defer stream.Close()
	for stream.Next() {
		if text := stream.Current().Delta.Text; text != "" && !read(text) {
			return nil
		}
	}
	return stream.Err()
}

func (l *anthropicMessages) count(ctx context.Context) (int64, error) {
	counted, err := l.client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
		Model:    anthropic.Model(l.job.Model),
		Messages: l.request().Messages,
	})
	if err != nil {
		return 0, err
	}
	return counted.InputTokens, nil
}

func (l *anthropicMessages) vectors(context.Context) ([][]float64, error) { return nil, errNone }

func (l *anthropicMessages) failure(err error) reply {
	var told *anthropic.Error
	if !errors.As(err, &told) {
		return reply{}
	}
	return reply{Status: told.StatusCode, Kind: []string{string(told.Type())}, RetryAfter: retryAfter(told.Response)}
}
