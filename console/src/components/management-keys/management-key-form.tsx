import { Trans, useLingui } from "@lingui/react/macro";
import { buildGrantableScopes, teamScopes } from "@tollgate/contract/accounts/grantable-scopes.ts";
import {
  createManagementKey,
  listManagementKeys,
  managementKeyDaysMax,
} from "@tollgate/contract/accounts/management-keys.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Scope } from "@tollgate/contract/accounts/scopes.ts";
import { type SubmitEvent, useId, useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox, FilterField, Input, Select } from "../../ui/form/input.tsx";
import { scopePresets, scopeRows, scopeWords } from "./management-key-words.ts";

const lifetimes = [7, 30, managementKeyDaysMax];
const lifetimesOfRoot = [...lifetimes, 365];

type IdentityProof = { current_password?: string; totp_code?: string };

/** `WithReauth` makes a call, with a proof of the reader where the gateway demands one. */
export type WithReauth = <T>(call: (proof?: IdentityProof) => Promise<T>) => Promise<T>;

type ManagementKeyFormProps = {
  role: number;
  /** `teamId` is the one team that the key may reach. */
  teamId?: number | undefined;
  withReauth: WithReauth;
  onCreated: (key: string) => void;
  onCancel: () => void;
};

export function ManagementKeyForm({
  role,
  teamId,
  withReauth,
  onCreated,
  onCancel,
}: ManagementKeyFormProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const grantable = teamId === undefined ? buildGrantableScopes(role) : teamScopes;

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    setBusy(true);
    setFailure("");
    try {
      const body = {
        name: text("name"),
        subnet: text("subnet"),
        lifetime_days: Number(text("days")),
        scopes: [...chosen],
        ...(teamId !== undefined && { team_id: teamId }),
      };
      const { data } = await withReauth((credentials) =>
        api.call(createManagementKey, { body: { ...body, ...credentials } }),
      );
      await api.refresh(listManagementKeys);
      onCreated(data.key);
    } catch (error) {
      setFailure(readReason(error, t`Operation failed`));
    }
    setBusy(false);
  };

  return (
    <Card title={<Trans>New management key</Trans>}>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-3">
          <FilterField label={t`Name`}>
            {(id) => <Input id={id} name="name" maxLength={50} required autoComplete="off" />}
          </FilterField>
          <FilterField label={t`Ends after`}>
            {(id) => (
              <Select id={id} name="days" defaultValue="30">
                {(role >= roles.root ? lifetimesOfRoot : lifetimes).map((days) => (
                  <option key={days} value={days}>
                    {t`${days} days`}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
          <FilterField label={t`Networks (empty for any)`}>
            {(id) => (
              <Input id={id} name="subnet" placeholder="192.168.0.0/24" autoComplete="off" />
            )}
          </FilterField>
        </div>
        <ScopeMatrix grantable={grantable} chosen={chosen} onChange={setChosen} />
        {failure !== "" && <Alert title={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" busy={isBusy} disabled={chosen.length === 0}>
            <Trans>Create key</Trans>
          </Button>
          <Button onClick={onCancel} disabled={isBusy}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </form>
    </Card>
  );
}

interface ScopeMatrixProps {
  grantable: readonly Scope[];
  chosen: readonly Scope[];
  onChange: (scopes: readonly Scope[]) => void;
}

function ScopeMatrix({ grantable, chosen, onChange }: ScopeMatrixProps) {
  const { t, i18n } = useLingui();
  const id = useId();
  const box = (scope: Scope | undefined, label: string) =>
    scope !== undefined && (
      // The label around the box makes its target wide enough for a finger.
      <label htmlFor={`${id}-${scope}`} className="inline-flex px-1">
        <Checkbox
          id={`${id}-${scope}`}
          aria-label={label}
          checked={chosen.includes(scope)}
          onChange={({ target }) =>
            onChange(
              grantable.filter((one) => (one === scope ? target.checked : chosen.includes(one))),
            )
          }
        />
      </label>
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span id={id} className="font-medium">
          <Trans>What it may do</Trans>
        </span>
        {scopePresets.map(({ name, label, scopes }) => {
          const given = grantable.filter((scope) => scopes.includes(scope));
          return (
            given.length > 0 && (
              <Button key={name} size="sm" onClick={() => onChange(given)}>
                {i18n._(label)}
              </Button>
            )
          );
        })}
      </div>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <table aria-labelledby={id} className="w-full max-w-md text-left">
          <thead>
            <tr className="border-line border-b text-muted text-sm">
              <td />
              <th scope="col" className="py-1 font-normal">
                <Trans>Read</Trans>
              </th>
              <th scope="col" className="py-1 font-normal">
                <Trans context="right">Change</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {scopeRows(grantable).map(({ subject, label, read, write }) => {
              const name = i18n._(label);
              return (
                <tr key={subject} className="border-line border-b">
                  <th scope="row" className="py-1.5 font-normal">
                    {name}
                  </th>
                  <td>{box(read, t`${name}: read`)}</td>
                  <td>{box(write, t`${name}: change`)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        <div aria-live="polite">
          {chosen.length === 0 ? (
            <p className="text-muted">
              <Trans>Choose at least one right.</Trans>
            </p>
          ) : (
            <ScopeSentences scopes={chosen} />
          )}
        </div>
      </div>
    </div>
  );
}

export function ScopeSentences({ scopes }: { scopes: readonly Scope[] }) {
  const { i18n } = useLingui();
  return (
    <ul className="list-disc pl-5">
      {/* A newer server may have others. */}
      {scopes
        .filter((scope) => Object.hasOwn(scopeWords, scope))
        .map((scope) => (
          <li key={scope}>{i18n._(scopeWords[scope])}</li>
        ))}
    </ul>
  );
}
