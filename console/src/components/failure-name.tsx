import { useLingui } from "@lingui/react/macro";
import { failureWords } from "./failure-words.ts";

/** What failed, in words of one line; a text without known words stays as it is. */
export function FailureName({ text }: { text: string }) {
  const { i18n } = useLingui();
  const words = failureWords(text);
  return words === undefined ? text : i18n._(words.what);
}
