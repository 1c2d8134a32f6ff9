package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// writtenKey is where the private state keeps what the gateway made of the values that were
// written: it trims lists, orders members of JSON and masks secrets. A value that it still shows
// so has not changed, and the state keeps the words of the configuration.
const writtenKey = "written"

type written map[string]string

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readWritten(ctx context.Context, from privateReader) written {
	known := written{}
	text, _ := from.GetKey(ctx, writtenKey)
	if len(text) > 0 && json.Unmarshal(text, &known) != nil {
		return written{}
	}
	return known
}

func (w written) keep(ctx context.Context, in privateWriter) diag.Diagnostics {
	text, err := json.Marshal(w)
	if err != nil {
		return nil
	}
	return in.SetKey(ctx, writtenKey, text)
}
