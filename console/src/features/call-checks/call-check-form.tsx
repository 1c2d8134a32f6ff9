import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import { checkedEndpoints } from "@tollgate/contract/catalogue/call-checks.ts";
import { channelEndpoints } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { type FormEvent, useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { Input, Select } from "../../ui/form/input.tsx";
import type { CallQuestion } from "./call-check-question.ts";

/** Keys that the selection offers; the address can name any other. */
const offeredMax = 100;
const modelMax = 200;

type CallCheckFormProps = {
  asked: CallQuestion;
  busy: boolean;
  onAsk: (question: CallQuestion) => void;
};

export function CallCheckForm({ asked, busy, onAsk }: CallCheckFormProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState(asked);
  const ids = { key: useId(), model: useId(), models: useId(), endpoint: useId(), limit: useId() };
  const tokens = useQuery({
    ...api.query(listTokens, { query: { size: offeredMax } }),
    select: (reply) =>
      reply.data.map((token) => ({ reference: readEntityRef(token), name: token.name })),
  });
  const models = useQuery({ ...api.query(listAvailableModels), select: (reply) => reply.data });
  const offered = tokens.data ?? [];
  const isNamedElsewhere =
    asked.token !== "" && !offered.some(({ reference }) => reference === asked.token);
  const set = (change: Partial<CallQuestion>) => setDraft({ ...draft, ...change });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.model.trim() !== "") onAsk({ ...draft, model: draft.model.trim() });
  };
  return (
    <Card title={<Trans>Call</Trans>}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <FieldFrame id={ids.key} label={t`Key`} error={undefined}>
          <Select
            id={ids.key}
            value={draft.token}
            onChange={(event) => set({ token: event.target.value })}
          >
            <option value="">
              {asked.user === ""
                ? t`No key (as in the playground)`
                : t`User ${asked.user}, without a key`}
            </option>
            {isNamedElsewhere && <option value={asked.token}>{t`Key ${asked.token}`}</option>}
            {offered.map(({ reference, name }) => (
              <option key={reference} value={reference}>
                {name || reference}
              </option>
            ))}
          </Select>
        </FieldFrame>
        <FieldFrame id={ids.model} label={t`Model`} error={undefined}>
          <Input
            id={ids.model}
            list={ids.models}
            value={draft.model}
            maxLength={modelMax}
            required
            autoComplete="off"
            onChange={(event) => set({ model: event.target.value })}
          />
          <datalist id={ids.models}>
            {(models.data ?? []).map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </FieldFrame>
        <FieldFrame id={ids.endpoint} label={t`Endpoint`} error={undefined}>
          <Select
            id={ids.endpoint}
            value={draft.endpoint}
            onChange={(event) => {
              const endpoint = checkedEndpoints.find((name) => name === event.target.value);
              if (endpoint) set({ endpoint });
            }}
          >
            {checkedEndpoints.map((name) => (
              <option key={name} value={name}>
                {channelEndpoints.find((endpoint) => endpoint.name === name)?.path ?? name}
              </option>
            ))}
          </Select>
        </FieldFrame>
        <FieldFrame
          id={ids.limit}
          label={t`Longest answer in tokens`}
          help={t`Leave empty for a request without a limit.`}
          error={undefined}
        >
          <Input
            id={ids.limit}
            type="number"
            min={1}
            max={9_999_999}
            value={draft.max_tokens}
            aria-describedby={`${ids.limit}-help`}
            onChange={(event) => set({ max_tokens: event.target.value })}
          />
        </FieldFrame>
        <div>
          <Button type="submit" variant="primary" busy={busy}>
            <Trans>Check</Trans>
          </Button>
        </div>
      </form>
    </Card>
  );
}
