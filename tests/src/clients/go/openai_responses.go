package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

type openaiResponses struct {
	job      job
	client   openai.Client
	answered *http.Response
}

func newOpenAIResponses(j job) library { return &openaiResponses{job: j, client: openaiClient(j)} }

func (l *openaiResponses) request() responses.ResponseNewParams {
	content := responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText(prompt)}
	if l.job.Does == "picture" {
		shown := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
		shown.OfInputImage.ImageURL = openai.String("data:image/png;base64," + picture)
		content = append(content, shown)
	}
	params := responses.ResponseNewParams{
		Model: l.job.Model,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser),
		}},
	}
	if l.job.wantsTools() {
		for _, t := range tools {
			params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
				Name:        t.name,
				Description: openai.String(t.description),
				Parameters:  map[string]any{"type": "object", "properties": properties(t.field), "required": []string{t.field}},
				Strict:      openai.Bool(false),
			}})
		}
	}
	switch l.job.Does {
	case "turn":
		params.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortMedium, Summary: shared.ReasoningSummaryAuto}
		params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		params.Store = openai.Bool(false)
	case "structured":
		params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("city", citySchema)
	}
	return params
}

func (l *openaiResponses) send(ctx context.Context, params responses.ResponseNewParams) (responses.Response, error) {
	keep := option.WithResponseInto(&l.answered)
	if !l.job.Stream {
		whole, err := l.client.Responses.New(ctx, params, keep)
		if err != nil {
			return responses.Response{}, err
		}
		return *whole, nil
	}
	stream := l.client.Responses.NewStreaming(ctx, params, keep)
	answer := responses.Response{}
	for stream.Next() {
		event := stream.Current()
		if event.Type == "response.completed" || event.Type == "response.incomplete" {
			answer = event.Response
		}
	}
	if answer.ID == "" && stream.Err() == nil {
		return answer, errors.New("the stream has no end")
	}
	return answer, stream.Err()
}

func (l *openaiResponses) read(answer responses.Response) reply {
	usage := answer.Usage
	found := reply{
		Finish:    string(answer.Status),
		Tokens:    tokens{usage.InputTokens, usage.OutputTokens, usage.InputTokensDetails.CachedTokens},
		RequestID: requestID(l.answered),
	}
	if answer.IncompleteDetails.Reason != "" {
		found.Finish = string(answer.IncompleteDetails.Reason)
	}
	for _, item := range answer.Output {
		switch one := item.AsAny().(type) {
		case responses.ResponseOutputMessage:
			for _, part := range one.Content {
				found.Text += part.Text + part.Refusal
			}
		case responses.ResponseReasoningItem:
			for _, part := range one.Summary {
				found.Thought += part.Text
			}
		case responses.ResponseFunctionToolCall:
			found.Calls = append(found.Calls, call{one.Name, json.RawMessage(one.Arguments)})
		}
	}
	found.Dump = json.RawMessage(answer.RawJSON())
	return found
}

func (l *openaiResponses) answer(ctx context.Context) (reply, error) {
	answer, err := l.send(ctx, l.request())
	if err != nil {
		return reply{}, err
	}
	return l.read(answer), nil
}

func (l *openaiResponses) secondTurn(ctx context.Context) (reply, error) {
	params := l.request()
	first, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	items := params.Input.OfInputItemList
	for _, item := range first.Output {
		switch one := item.AsAny().(type) {
		case responses.ResponseReasoningItem:
			kept := one.ToParam()
			items = append(items, responses.ResponseInputItemUnionParam{OfReasoning: &kept})
		case responses.ResponseFunctionToolCall:
			kept := one.ToParam()
			items = append(items, responses.ResponseInputItemUnionParam{OfFunctionCall: &kept})
			result := responses.ResponseInputItemParamOfFunctionCallOutput(resultOf(one.Name))
			result.OfFunctionCallOutput.CallID = openai.String(one.CallID)
			items = append(items, result)
		}
	}
	params.Input.OfInputItemList = items
	last, err := l.send(ctx, params)
	if err != nil {
		return reply{}, err
	}
	found, begun := l.read(last), l.read(first)
	found.Calls, found.Thought = begun.Calls, begun.Thought
	return found, nil
}

func (l *openaiResponses) pieces(ctx context.Context, read func(string) bool) error {
	stream := l.client.Responses.NewStreaming(ctx, l.request())
	defer stream.Close()
	for stream.Next() {
		switch event := stream.Current(); event.Type {
		case "response.output_text.delta":
			if !read(event.Delta) {
				return nil
			}
		// This interface reports failures as events.
		case "response.failed", "error":
			return errors.New(event.Type)
		}
	}
	return stream.Err()
}

func (l *openaiResponses) count(ctx context.Context) (int64, error) {
	counted, err := l.client.Responses.InputTokens.Count(ctx, responses.InputTokenCountParams{
		Model: openai.String(l.job.Model),
		Input: responses.InputTokenCountParamsInputUnion{OfString: openai.String(prompt)},
	})
	if err != nil {
		return 0, err
	}
	return counted.InputTokens, nil
}

func (l *openaiResponses) vectors(context.Context) ([][]float64, error) { return nil, errNone }

func (l *openaiResponses) failure(err error) reply { return openaiFailure(err) }
