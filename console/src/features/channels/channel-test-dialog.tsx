import { Trans, useLingui } from "@lingui/react/macro";
import {
  type Channel,
  listChannels,
  searchChannels,
  testChannelByGet,
} from "@tollgate/contract/catalogue/channels.ts";
import { useEffect, useRef, useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { Button } from "../../ui/button.tsx";
import { formatDecimal } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";

type ModelTest =
  | { state: "running" }
  | { state: "passed"; seconds: number }
  | { state: "failed"; reason: string };

/**
 * Sends one question with each chosen model of a channel, one after the other, and shows what came
 * of it.
 */
export function ChannelTestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useLingui();
  const { name } = channel;
  const models = channel.models.split(",").filter(Boolean);
  const { tests, isRunning, run } = useModelTests(channel);
  const count = models.length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Test models of ${name}`}
      width="md"
      footer={
        <Button busy={isRunning} onClick={() => void run(models)}>
          <Trans>Test all ({count})</Trans>
        </Button>
      }
    >
      <p className="mb-2 whitespace-normal text-left text-muted text-sm">
        <Trans>
          Each test is a small call that the provider charges. Closing this ends the remaining ones.
        </Trans>
      </p>
      <ul className="flex flex-col whitespace-normal text-left">
        {models.map((model) => (
          <li
            key={model}
            className="flex items-center gap-3 border-line border-b py-2 last:border-b-0"
          >
            <div className="min-w-0 grow">
              <div className="font-mono text-sm [overflow-wrap:anywhere]">{model}</div>
              <div role="status" className="text-sm [overflow-wrap:anywhere]">
                <TestOutcome test={tests[model]} />
              </div>
            </div>
            <Button
              size="sm"
              disabled={isRunning}
              onClick={() => void run([model])}
              aria-label={t`Test ${model}`}
            >
              <Trans>Test</Trans>
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function TestOutcome({ test }: { test: ModelTest | undefined }) {
  if (test === undefined) return null;
  if (test.state === "running") {
    return (
      <span className="text-muted">
        <Trans>Testing...</Trans>
      </span>
    );
  }
  if (test.state === "passed") {
    const seconds = formatDecimal(test.seconds, 2);
    return (
      <span className="text-good">
        <Trans>answered in {seconds} s</Trans>
      </span>
    );
  }
  return (
    <span className="text-bad">
      <FailureText text={test.reason} />
    </span>
  );
}

function useModelTests(channel: Channel) {
  const { t } = useLingui();
  const [tests, setTests] = useState<Readonly<Record<string, ModelTest>>>({});
  const [isRunning, setRunning] = useState(false);
  const closing = useRef(new AbortController());
  useEffect(() => {
    closing.current = new AbortController();
    return () => {
      closing.current.abort();
      // Each test changes the row: its response time and its health.
      void Promise.all([api.refresh(listChannels), api.refresh(searchChannels)]);
    };
  }, []);
  const run = async (models: readonly string[]) => {
    const { signal } = closing.current;
    const show = (model: string, test: ModelTest) =>
      setTests((before) => ({ ...before, [model]: test }));
    setRunning(true);
    for (const model of models) {
      if (signal.aborted) return;
      show(model, { state: "running" });
      try {
        const { time } = await api.call(testChannelByGet, {
          params: { id: readEntityRef(channel) },
          query: { model },
          signal,
        });
        show(model, { state: "passed", seconds: time });
      } catch (error) {
        show(model, { state: "failed", reason: readReason(error, t`Operation failed`) });
      }
    }
    setRunning(false);
  };
  return { tests, isRunning, run };
}
