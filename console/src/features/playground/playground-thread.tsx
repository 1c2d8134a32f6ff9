import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { Quota } from "../../components/quota.tsx";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/form/input.tsx";
import { formatDurationMs, formatInteger } from "../../ui/format.ts";
import { Spinner } from "../../ui/spinner.tsx";
import type { PlaygroundMessage, ToolCall } from "./playground-request.ts";
import type { ChatRun } from "./run-chat.ts";
import { type Thread, useCallOf } from "./use-thread.ts";

type PlaygroundThreadProps = {
  thread: Thread;
  model: string;
  models: readonly string[];
  onModel: (model: string) => void;
  label: string;
};

/** `PlaygroundThread` gives one model's conversation, with what its last answer took and cost. */
export function PlaygroundThread({ thread, model, models, onModel, label }: PlaygroundThreadProps) {
  const { i18n } = useLingui();
  const { messages, run, isRunning } = thread;
  return (
    <Card
      title={label}
      className="flex flex-col"
      action={
        <Select
          aria-label={label}
          controlSize="sm"
          value={model}
          disabled={isRunning}
          onChange={(event) => onModel(event.target.value)}
          className="max-w-56"
        >
          {models.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      }
    >
      <div className="flex min-h-40 flex-col gap-4">
        {messages.length === 0 && (
          <p className="m-auto text-muted">
            <Trans>The answer appears here, with its cost.</Trans>
          </p>
        )}
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only ever appended
          <ThreadMessage key={index} message={message} />
        ))}
        {isRunning && (
          <div className="flex flex-col gap-1" aria-busy="true">
            {run !== undefined && run.text !== "" && <MessageText text={run.text} />}
            <p role="status" className="flex items-center gap-2 text-muted text-sm">
              <Spinner className="size-4" />
              <Trans>Waiting for the model</Trans>
            </p>
          </div>
        )}
        {run !== undefined && run.failure !== "" && (
          <Alert title={<FailureText text={run.failure} />} />
        )}
        {run !== undefined && !isRunning && (
          <RunFigures key={`${i18n.locale} ${run.requestId}`} run={run} />
        )}
      </div>
    </Card>
  );
}

function ThreadMessage({ message }: { message: PlaygroundMessage }) {
  const isUser = message.role === "user";
  return (
    <div className={isUser ? "max-w-[90%] self-end rounded-lg bg-sunken px-3 py-2" : "min-w-0"}>
      <p className="sr-only">{isUser ? <Trans>You</Trans> : <Trans>Model</Trans>}</p>
      <MessageText text={message.text} />
      {message.role === "user"
        ? message.images.map(({ name, dataUrl }) => (
            <img
              key={name}
              src={dataUrl}
              alt={name}
              className="mt-2 max-h-32 max-w-full rounded-md"
            />
          ))
        : message.toolCalls.map((tool) => <ToolCallBox key={tool.id || tool.name} tool={tool} />)}
    </div>
  );
}

function ToolCallBox({ tool }: { tool: ToolCall }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="mt-2 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-sm"
    >
      {`${tool.name}(${tool.arguments})`}
    </pre>
  );
}

const MessageText = ({ text }: { text: string }) => (
  <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
);

/**
 * The gateway's own figures, once the call is in the log; before that, what the browser measured.
 */
function RunFigures({ run }: { run: ChatRun }) {
  const entry = useCallOf(run.requestId);
  const first = formatDurationMs(entry !== undefined && entry.ttft > 0 ? entry.ttft : run.firstMs);
  const total = formatDurationMs(entry?.elapsed_time ?? run.totalMs);
  const tokens = (entry?.prompt_tokens ?? 0) + (entry?.completion_tokens ?? 0);
  const shown = formatInteger(tokens);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t pt-3 text-muted text-sm tabular-nums">
      {entry !== undefined && (
        <>
          <Quota units={entry.quota} />
          <span>
            <Plural value={tokens} one="1 token" other={`${shown} tokens`} />
          </span>
        </>
      )}
      <span>
        <Trans>First token after {first}</Trans>
      </span>
      <span>
        <Trans>{total} in all</Trans>
      </span>
      {entry !== undefined && (
        <ButtonLink
          size="sm"
          variant="ghost"
          to="/logs"
          search={{ trace: readEntityRef(entry) } as never}
          className="ml-auto"
        >
          <Trans>Show trace</Trans>
        </ButtonLink>
      )}
    </div>
  );
}
