import { Trans, useLingui } from "@lingui/react/macro";
import { findFailureWords } from "./failure-words.ts";
import { writeNotes } from "./usage-notes.ts";

/** A failure in words with its remedy, and the raw text in small. */
export function FailureText({ text }: { text: string }) {
  const { i18n } = useLingui();
  const words = findFailureWords(text);
  if (words === undefined)
    return (
      <span className="[overflow-wrap:anywhere]">{writeNotes(text, (note) => i18n._(note))}</span>
    );
  const [failure, remedy] = [i18n._(words.what), i18n._(words.remedy)];
  return (
    <span className="flex flex-col gap-0.5">
      <span>
        <Trans>
          {failure}. {remedy}
        </Trans>
      </span>
      <code className="font-mono text-muted text-xs [overflow-wrap:anywhere]">{text}</code>
    </span>
  );
}

/**
 * `FailureName` shows what failed, in words of one line; a text without known words stays as it is.
 */
export function FailureName({ text }: { text: string }) {
  const { i18n } = useLingui();
  const words = findFailureWords(text);
  return words === undefined ? writeNotes(text, (note) => i18n._(note)) : i18n._(words.what);
}
