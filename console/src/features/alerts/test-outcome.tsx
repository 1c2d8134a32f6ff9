import { Trans } from "@lingui/react/macro";
import { Alert } from "../../ui/alert.tsx";
import { DeliveryAnswer } from "./delivery-answer.tsx";

/** `TestOutcome` shows what became of an example that was just sent. */
export function TestOutcome({ delivered, answer }: { delivered: boolean; answer: string }) {
  return (
    <Alert
      tone={delivered ? "good" : "bad"}
      title={
        delivered ? (
          <Trans>The example was delivered.</Trans>
        ) : (
          <Trans>The example was not delivered.</Trans>
        )
      }
      className="w-full"
    >
      {answer !== "" && <DeliveryAnswer answer={answer} />}
    </Alert>
  );
}
