import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import type { ModelLimits } from "@tollgate/contract/clients/agent-settings.ts";
import { Send } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { listModelNames } from "../../compat/token-compat.ts";
import { readSiteAddress } from "../../site-path.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { Secret } from "../../ui/form/secret.tsx";
import { formatDurationMs } from "../../ui/format.ts";
import { Spinner } from "../../ui/spinner.tsx";
import { FailureText } from "../failures/failure-text.tsx";
import { Quota } from "../quota.tsx";
import { CallDoctor } from "./call-doctor.tsx";
import {
  allClients,
  type ClientName,
  clientNames,
  findLimits,
  listSnippets,
} from "./client-snippets.ts";
import { useFirstCall } from "./first-call.ts";
import { sendFirstCall } from "./send-first-call.ts";

type UseKeyProps = {
  /** The token's name, by which its calls are found. */
  name: string;
  /** The whole key. */
  apiKey: string;
  /** `models` hold those that the key may use; absent or empty for all of the user. */
  models?: Token["models"] | undefined;
  /** The model shown first; otherwise the first that the user may use. */
  model?: string | undefined;
};

/**
 * The address, a key and a model as each program needs them; it waits for the first call and shows
 * it.
 */
export function UseKey({ name, apiKey, models: allowed, model: preferred }: UseKeyProps) {
  const { t } = useLingui();
  const models = useQuery({ ...api.query(listAvailableModels), select: ({ data }) => data });
  const [client, setClient] = useState<ClientName>("curl");
  const [picked, setPicked] = useState<string>();
  const ofKey = listModelNames(allowed);
  const offered = (models.data ?? []).filter(
    (model) => ofKey.length === 0 || ofKey.includes(model),
  );
  const fallback = preferred !== undefined && offered.includes(preferred) ? preferred : offered[0];
  const model = picked ?? fallback ?? preferred ?? "";
  const limits = useQuery({
    ...api.query(listDisplayedModels),
    select: ({ data }) => findLimits(data, model),
  });
  const origin = readSiteAddress();
  const base = `${origin}/v1`;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <dl className="grid items-center gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
        <dt className="text-muted">
          <Trans>Base URL</Trans>
        </dt>
        <dd className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{base}</code>
          <CopyButton text={base} label={t`Copy base URL`} />
        </dd>
        <dt className="text-muted">
          <Trans>API key</Trans>
        </dt>
        <dd>
          <Secret text={apiKey} masked={maskKey(apiKey)} label={t`key`} />
        </dd>
      </dl>
      <FilterField label={t`Model`} className="max-w-sm">
        {(id) =>
          offered.length === 0 ? (
            <p id={id} className="text-muted text-sm">
              {models.isPending ? (
                <Trans>Loading...</Trans>
              ) : (
                <Trans>No channel offers a model yet.</Trans>
              )}
            </p>
          ) : (
            <Select id={id} value={model} onChange={(event) => setPicked(event.target.value)}>
              {offered.map((offer) => (
                <option key={offer}>{offer}</option>
              ))}
            </Select>
          )
        }
      </FilterField>
      {/* biome-ignore lint/a11y/useSemanticElements: switches in a row are no form */}
      <div role="group" aria-label={t`Program`} className="-mx-1 flex flex-wrap gap-1">
        {allClients.map((one) => (
          <Button
            key={one}
            size="sm"
            variant="ghost"
            aria-pressed={one === client}
            onClick={() => setClient(one)}
            className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {clientNames[one]}
          </Button>
        ))}
      </div>
      <ClientSnippets
        client={client}
        origin={origin}
        apiKey={apiKey}
        model={model}
        limits={limits.data}
      />
      {client === "cursor" && (
        <p className="text-muted text-sm">
          <Trans>
            Cursor calls from its own servers: the address must be reachable from the internet.
          </Trans>
        </p>
      )}
      <FirstCall name={name} apiKey={apiKey} model={model} models={offered} />
    </div>
  );
}

type ClientSnippetsProps = {
  client: ClientName;
  origin: string;
  apiKey: string;
  model: string;
  limits: ModelLimits | undefined;
};

/** The key is masked on the screen and copied whole. */
function ClientSnippets({ client, origin, apiKey, model, limits }: ClientSnippetsProps) {
  const { t } = useLingui();
  const whole = listSnippets(client, { origin, key: apiKey, model, limits });
  const shown = listSnippets(client, { origin, key: maskKey(apiKey), model, limits });
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {shown.map((snippet, index) => {
        const { place } = snippet;
        const copied = whole[index];
        return (
          <div key={place} className="min-w-0 rounded-md bg-sunken">
            <div className="flex min-h-9 items-center justify-between gap-2 pr-1 pl-3 text-muted text-sm">
              <span>{place}</span>
              {copied !== undefined && "text" in copied && (
                <CopyButton text={copied.text} label={t`Copy for ${place}`} />
              )}
            </div>
            {"text" in snippet ? (
              <pre
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
                tabIndex={0}
                className="overflow-x-auto px-3 pb-3 font-mono text-sm"
              >
                {snippet.text}
              </pre>
            ) : (
              <dl className="grid items-center gap-x-4 px-3 pb-2 sm:grid-cols-[auto_1fr]">
                {snippet.fields.map(({ name, value }, fieldIndex) => (
                  <SnippetField
                    key={name}
                    name={name}
                    value={value}
                    copied={
                      (copied !== undefined &&
                        "fields" in copied &&
                        copied.fields[fieldIndex]?.value) ||
                      value
                    }
                  />
                ))}
              </dl>
            )}
          </div>
        );
      })}
    </div>
  );
}

function SnippetField({ name, value, copied }: { name: string; value: string; copied: string }) {
  const { t } = useLingui();
  return (
    <>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{value}</code>
        <CopyButton text={copied} label={t`Copy ${name}`} />
      </dd>
    </>
  );
}

type FirstCallProps = { name: string; apiKey: string; model: string; models: readonly string[] };

function FirstCall({ name, apiKey, model, models }: FirstCallProps) {
  const { t } = useLingui();
  const { call, failedTry } = useFirstCall(name);
  const send = useMutation({ mutationFn: () => sendFirstCall(apiKey, model) });
  const took = formatDurationMs(call?.elapsed_time);
  return (
    <div className="flex min-w-0 flex-col gap-3 border-line border-t pt-4">
      {call === undefined ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p role="status" className="flex items-center gap-2 text-muted">
            <Spinner className="size-4" />
            <Trans>Waiting for a call with this key</Trans>
          </p>
          <Button
            icon={<Send />}
            busy={send.isPending}
            disabled={model === ""}
            onClick={() => send.mutate()}
          >
            <Trans>Send a first call</Trans>
          </Button>
        </div>
      ) : (
        <Alert
          tone={call.outcome === "failed" ? "bad" : "good"}
          title={
            call.outcome === "failed" ? (
              <Trans>The first call failed</Trans>
            ) : (
              <Trans>The first call arrived</Trans>
            )
          }
        >
          <div className="flex flex-wrap items-center justify-between gap-3">
            <span>
              {call.outcome === "failed" && call.content !== "" ? (
                <FailureText text={call.content} />
              ) : (
                <>
                  <span className="font-mono">{call.model_name}</span> ·{" "}
                  <Quota isOwn units={call.quota} /> · {took}
                </>
              )}
            </span>
            <ButtonLink size="sm" to="/logs" search={{ trace: readEntityRef(call) } as never}>
              <Trans>Show trace</Trans>
            </ButtonLink>
          </div>
        </Alert>
      )}
      {send.data !== undefined && send.data !== "" && (
        <blockquote
          aria-label={t`Answer`}
          className="border-accent border-l-2 pl-3 text-sm [overflow-wrap:anywhere]"
        >
          {send.data}
        </blockquote>
      )}
      {send.error !== null && call === undefined && failedTry === undefined && (
        <Alert title={<FailureText text={send.error.message} />} />
      )}
      {failedTry !== undefined && (
        <CallDoctor failedTry={failedTry} origin={readSiteAddress()} models={models} />
      )}
    </div>
  );
}
