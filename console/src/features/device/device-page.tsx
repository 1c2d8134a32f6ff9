import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { normaliseUserCode } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { type SubmitEvent, useState } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { Page } from "../../ui/page.tsx";
import { DeviceAnswer } from "./device-answer.tsx";

const shownLength = "BCDF-GHJK".length;

/**
 * `DevicePage` lets a person sign a program in: by the code that the program shows, and the answer.
 */
export function DevicePage() {
  const { t } = useLingui();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const code = typeof search.user_code === "string" ? normaliseUserCode(search.user_code) : "";
  const [outcome, setOutcome] = useState<"approved" | "denied">();
  const ask = (next: string) =>
    void navigate({ to: ".", search: (next === "" ? {} : { user_code: next }) as never });
  return (
    <Page
      title={t`Sign in a program`}
      subtitle={t`A coding agent or a command line works with your account, without an API key to copy.`}
    >
      <div className="max-w-xl">
        {outcome !== undefined ? (
          <Alert
            tone={outcome === "approved" ? "good" : "info"}
            title={
              outcome === "approved"
                ? t`The program is signed in`
                : t`The program was not signed in`
            }
          >
            {outcome === "approved"
              ? t`Return to the program; you can close this page. To end its access, sign it out under Sessions in your settings.`
              : t`Its code no longer works.`}
          </Alert>
        ) : code === "" ? (
          <CodeCard onAsk={ask} />
        ) : (
          <DeviceAnswer
            key={code}
            code={code}
            onAnswered={setOutcome}
            onOtherCode={() => ask("")}
          />
        )}
      </div>
    </Page>
  );
}

function CodeCard({ onAsk }: { onAsk: (code: string) => void }) {
  const { t } = useLingui();
  const [typed, setTyped] = useState("");
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (typed.trim() !== "") onAsk(typed.trim());
  };
  return (
    <Card
      title={<Trans>Enter the code</Trans>}
      note={<Trans>The program shows it where it was started.</Trans>}
    >
      <form noValidate onSubmit={submit} className="flex flex-col items-start gap-4">
        <FilterField label={t`Code`}>
          {(id) => (
            <Input
              id={id}
              name="user_code"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              placeholder="BCDF-GHJK"
              maxLength={shownLength + 3}
              className="font-mono uppercase tracking-widest"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
            />
          )}
        </FilterField>
        <Button type="submit" variant="primary" disabled={typed.trim() === ""}>
          <Trans>Continue</Trans>
        </Button>
      </form>
    </Card>
  );
}
