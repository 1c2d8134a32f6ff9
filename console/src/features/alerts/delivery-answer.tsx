import { Trans, useLingui } from "@lingui/react/macro";
import { ownAnswer } from "./alert-words.ts";

/**
 * `DeliveryAnswer` says why a try got no answer, or what the receiver answered, in its own words.
 */
export function DeliveryAnswer({ answer }: { answer: string }) {
  const { t } = useLingui();
  const own = ownAnswer(answer);
  if (own !== undefined) return t(own);
  return <Trans>The receiver answered: {answer}</Trans>;
}
