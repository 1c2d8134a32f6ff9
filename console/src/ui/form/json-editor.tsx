import { Trans } from "@lingui/react/macro";
import { useRef } from "react";
import { Button } from "../button.tsx";
import type { FieldOf } from "./form-contract.ts";
import { FieldFrame, type FieldTexts, useField } from "./form-field.tsx";
import { Textarea } from "./input.tsx";
import { findJsonSyntaxError, formatJson } from "./json-editor-scan.ts";

type JsonFieldProps = FieldOf<string> &
  FieldTexts & { rows?: number; placeholder?: string; disabled?: boolean };

/** A text area for JSON, with a Format button and a link to the line of a syntax error. */
export function JsonField({ name, label, help, aside, rows = 6, ...rest }: JsonFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help });
  const area = useRef<HTMLTextAreaElement | null>(null);
  const text = field.value;
  const syntaxError = text.trim() === "" ? undefined : findJsonSyntaxError(text);
  const line = syntaxError?.line;
  const goToError = () => {
    area.current?.focus();
    area.current?.setSelectionRange(syntaxError?.offset ?? 0, syntaxError?.offset ?? 0);
  };
  return (
    <FieldFrame
      id={id}
      label={label}
      help={help}
      error={error}
      aside={
        <div className="flex items-center gap-1">
          {aside}
          {line !== undefined && (
            <Button size="sm" variant="ghost" className="text-bad!" onClick={goToError}>
              <Trans>Error in line {line}</Trans>
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            disabled={syntaxError !== undefined || text.trim() === ""}
            onClick={() => field.onChange(formatJson(text))}
          >
            <Trans>Format</Trans>
          </Button>
        </div>
      }
    >
      <Textarea
        {...rest}
        {...field}
        {...aria}
        ref={(element) => {
          area.current = element;
          field.ref(element);
        }}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        className="resize-y font-mono text-sm!"
      />
    </FieldFrame>
  );
}
