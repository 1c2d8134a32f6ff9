package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

type openaiChat struct {
	job      job
	client   openai.Client
	answered *http.Response
}

func openaiClient(j job) openai.Client {
	return openai.NewClient(
		option.WithBaseURL(j.URL+"/v1/"),
		option.WithAPIKey(j.Key),
		option.WithMaxRetries(j.retries()),
		option.WithRequestTimeout(j.timeout()),
	)
}

func newOpenAIChat(j job) library { return &openaiChat{job: j, client: openaiClient(j)} }

func (l *openaiChat) request() openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:    l.job.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
	if l.job.wantsTools() {
		for _, t := range tools {
			params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name:        t.name,
				Description: openai.String(t.description),
				Parameters:  shared.FunctionParameters{"type": "object", "properties": properties(t.field), "required": []string{t.field}},
			}))
		}
	}
	switch l.job.Does {
	case "turn":
		params.ReasoningEffort = shared.ReasoningEffortMedium
	case "picture":
		url := openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + picture}
		parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(prompt), openai.ImageContentPart(url)}
		params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)}
	case "structured":
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "city", Schema: citySchema, Strict: openai.Bool(true)},
		}
	}
	return params
}

func (l *openaiChat) send(ctx context.Context, params openai.ChatCompletionNewParams) (openai.ChatCompletion, error) {
	keep := option.WithResponseInto(&l.answered)
	if !l.job.Stream {
		whole, err := l.client.Chat.Completions.New(ctx, params, keep)
		if err != nil {
			return openai.ChatCompletion{}, err
		}
		return *whole, nil
	}
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := l.client.Chat.Completions.NewStreaming(ctx, params, keep)
	joined := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !joined.AddChunk(stream.Current()) {
			return openai.ChatCompletion{}, errors.New("the library could not join the stream")
		}
	}
	return joined.ChatCompletion, stream.Err()
}

func (l *openaiChat) read(answer openai.ChatCompletion) (reply, error) {
	if len(answer.Choices) == 0 {
		return reply{}, errors.New("the answer has no choice")
	}
	message := answer.Choices[0].Message
	found := reply{
		Text:      message.Content + message.Refusal,
		Finish:    answer.Choices[0].FinishReason,
		Tokens:    tokens{answer.Usage.PromptTokens, answer.Usage.CompletionTokens, answer.Usage.PromptTokensDetails.CachedTokens},
		RequestID: requestID(l.answered),
	}
	for _, c := range message.ToolCalls {
		found.Calls = append(found.Calls, call{c.Function.Name, json.RawMessage(c.Function.Arguments)})
	}
	found.Dump, _ = json.Marshal(answer)
	return found, nil
}

func (l *openaiChat) answer(ctx context.Context) (reply, error) {
	answer, err := l.send(ctx, l.request())
	if err != nil {
		return reply{}, err
	}
	return l.read(answer)
}

func (l *openaiChat) secondTurn(ctx context.Context) (reply, error) {
	params := l.request()
	first, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	begun, err := l.read(first)
	if err != nil {
		return reply{}, err
	}
	message := first.Choices[0].Message
	params.Messages = append(params.Messages, message.ToParam())
	for _, c := range message.ToolCalls {
		params.Messages = append(params.Messages, openai.ToolMessage(resultOf(c.Function.Name), c.ID))
	}
	last, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	found, err := l.read(last)
	found.Calls = begun.Calls
	return found, err
}

func (l *openaiChat) pieces(ctx context.Context, read func(string) bool) error {
	stream := l.client.Chat.Completions.NewStreaming(ctx, l.request())
	defer stream.Close()
	for stream.Next() {
		chunk := stream.Current()
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" && !read(chunk.Choices[0].Delta.Content) {
			return nil
		}
	}
	return stream.Err()
}

func (l *openaiChat) count(context.Context) (int64, error) { return 0, errNone }

func (l *openaiChat) vectors(ctx context.Context) ([][]float64, error) {
	asked := openai.EmbeddingNewParams{
		Model: l.job.Model,
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two"}},
	}
	answer, err := l.client.Embeddings.New(ctx, asked)
	if err != nil {
		return nil, err
	}
	found := [][]float64{}
	for _, one := range answer.Data {
		found = append(found, one.Embedding)
	}
	return found, nil
}

func (l *openaiChat) failure(err error) reply { return openaiFailure(err) }

func openaiFailure(err error) reply {
	var told *openai.Error
	if !errors.As(err, &told) {
		return reply{}
	}
	return reply{Status: told.StatusCode, Kind: []string{told.Type, told.Code}, RetryAfter: retryAfter(told.Response)}
}
