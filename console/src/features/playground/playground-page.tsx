import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import clsx from "clsx";
import { Code, Columns2, Eraser, Send, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { useUrlText } from "../../components/texts/url-view.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Textarea } from "../../ui/form/input.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { CodeDialog } from "./code-dialog.tsx";
import { ImagePicker } from "./image-picker.tsx";
import {
  buildChatBody,
  findSettingsProblem,
  type PlaygroundImage,
  type PlaygroundSettings,
} from "./playground-request.ts";
import { PlaygroundSettingsCard } from "./playground-settings.tsx";
import { PlaygroundThread } from "./playground-thread.tsx";
import { useThread } from "./use-thread.ts";

export function PlaygroundPage() {
  const { t } = useLingui();
  const models = useQuery({ ...api.query(listAvailableModels), select: ({ data }) => data });
  return (
    <Page
      title={t`Playground`}
      subtitle={t`Try models as a program calls them. Calls are charged to your account.`}
    >
      {models.error !== null ? (
        <Alert
          title={t`The models could not be loaded`}
          requestId={findRequestId(models.error)}
          onRetry={() => void models.refetch()}
          retrying={models.isFetching}
        >
          {readReason(models.error, t`An unexpected error occurred`)}
        </Alert>
      ) : models.data === undefined ? (
        <>
          <LoadingStatus />
          <Skeleton className="h-96" />
        </>
      ) : models.data.length === 0 ? (
        <Card>
          <p className="py-8 text-center text-muted">
            <Trans>No channel offers a model yet.</Trans>
          </p>
        </Card>
      ) : (
        <Playground models={models.data} />
      )}
    </Page>
  );
}

const noSettings: PlaygroundSettings = {
  system: "",
  temperature: "",
  maxTokens: "",
  tools: "",
  isStream: true,
};

function Playground({ models }: { models: readonly string[] }) {
  const { t } = useLingui();
  const [first = ""] = models;
  const [named] = useUrlText("model");
  const [model, setModel] = useState(models.includes(named) ? named : first);
  const [otherModel, setOtherModel] = useState(models[1] ?? first);
  const [isComparing, setComparing] = useState(false);
  const [settings, setSettings] = useState(noSettings);
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly PlaygroundImage[]>([]);
  const [isCodeOpen, setCodeOpen] = useState(false);
  const thread = useThread();
  const other = useThread();
  const isRunning = thread.isRunning || other.isRunning;
  const problem = findSettingsProblem(settings);
  const canSend = text.trim() !== "" && !isRunning && problem === undefined;
  const message = { role: "user", text, images } as const;

  const send = () => {
    if (!canSend) return;
    void thread.ask(model, message, settings);
    if (isComparing) void other.ask(otherModel, message, settings);
    setText("");
    setImages([]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const clear = () => {
    thread.clear();
    other.clear();
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className={clsx("grid min-w-0 items-start gap-4", isComparing && "xl:grid-cols-2")}>
          <PlaygroundThread
            thread={thread}
            model={model}
            models={models}
            onModel={setModel}
            label={isComparing ? t`First model` : t`Model`}
          />
          {isComparing && (
            <PlaygroundThread
              thread={other}
              model={otherModel}
              models={models}
              onModel={setOtherModel}
              label={t`Second model`}
            />
          )}
        </div>
        <form
          onSubmit={submit}
          className="flex flex-col gap-3 rounded-lg border border-line bg-card p-3"
        >
          <Textarea
            aria-label={t`Message`}
            placeholder={t`Message`}
            rows={3}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <div className="flex flex-wrap items-center gap-2">
            <ImagePicker images={images} onChange={setImages} />
            <Button
              size="sm"
              variant="ghost"
              icon={<Columns2 />}
              aria-pressed={isComparing}
              onClick={() => setComparing(!isComparing)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              <Trans>Compare two models</Trans>
            </Button>
            <Button
              size="sm"
              variant="ghost"
              icon={<Code />}
              disabled={problem !== undefined}
              onClick={() => setCodeOpen(true)}
            >
              <Trans>Copy as code</Trans>
            </Button>
            <Button
              size="sm"
              variant="ghost"
              icon={<Eraser />}
              disabled={isRunning || thread.messages.length === 0}
              onClick={clear}
            >
              <Trans>Clear</Trans>
            </Button>
            <span className="ml-auto">
              {isRunning ? (
                <Button
                  icon={<Square />}
                  onClick={() => {
                    thread.stop();
                    other.stop();
                  }}
                >
                  <Trans>Stop</Trans>
                </Button>
              ) : (
                <Button type="submit" variant="primary" icon={<Send />} disabled={!canSend}>
                  <Trans>Send</Trans>
                </Button>
              )}
            </span>
          </div>
        </form>
      </div>
      <PlaygroundSettingsCard settings={settings} problem={problem} onChange={setSettings} />
      {isCodeOpen && (
        <CodeDialog
          body={buildChatBody(
            model,
            text.trim() === "" ? thread.messages : [...thread.messages, message],
            settings,
          )}
          onClose={() => setCodeOpen(false)}
        />
      )}
    </div>
  );
}
