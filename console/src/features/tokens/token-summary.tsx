import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { parseNames } from "../../components/batch/batch-names.ts";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { sortTightest } from "../../components/budgets/tightest-budget.ts";
import { computeAmountTyped } from "../../components/forms/whole-number.ts";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { Quota } from "../../components/quota.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatInteger, formatRelative, formatSeconds } from "../../ui/format.ts";
import { computeAddressCount, listUnofferedModels } from "./token-facts.ts";
import type { TokenFormValues } from "./token-form-values.ts";
import { findExpiryFromInput, neverExpires } from "./token-screen-rules.ts";

type TokenSummaryProps = {
  form: ContractForm<TokenFormValues>;
  /** `budgets` are what the owner and administrators let the key spend in a window of time. */
  budgets: readonly Budget[];
  /** The models of the owner's group; empty while they load. */
  offered: readonly string[];
  hasLimits: boolean;
  isBatch: boolean;
};

/** `TokenSummary` tells the rights of a key with the values of the form. */
export function TokenSummary({ form, budgets, offered, hasLimits, isBatch }: TokenSummaryProps) {
  const { control } = form.methods;
  const typed = useWatch({ control, name: rightNames });
  const values = Object.fromEntries(
    rightNames.map((name, place) => [name, typed[place]]),
  ) as TokenRightValues;
  return (
    <FormSummary
      title={isBatch ? <Trans>What each key may do</Trans> : <Trans>What this key may do</Trans>}
    >
      <TokenRights values={values} budgets={budgets} offered={offered} hasLimits={hasLimits} />
      {isBatch && <BatchLine form={form} />}
    </FormSummary>
  );
}

/** `rightNames` are the fields of the form that decide what a key may do. */
const rightNames = [
  ...(["models", "subnet", "expired_time", "unlimited_quota", "remain_quota"] as const),
  ...(["spending_window", "spending_limit"] as const),
  ...tokenLimits.map(({ name }) => name),
] as const;
type TokenRightValues = Pick<TokenFormValues, (typeof rightNames)[number]>;

type TokenRightsProps = Omit<TokenSummaryProps, "form" | "isBatch"> & { values: TokenRightValues };

/** `TokenRights` are what a key with these values may do, a line for each. */
export function TokenRights({ values, budgets, offered, hasLimits }: TokenRightsProps) {
  return (
    <>
      <ModelsLine chosen={values.models} offered={offered} />
      <AddressLine subnet={values.subnet} />
      <EndLine input={values.expired_time} />
      <SpendingLine values={values} budgets={budgets} />
      {hasLimits && <RateLine values={values} />}
      <BalanceLine />
    </>
  );
}

function ModelsLine({
  chosen,
  offered,
}: {
  chosen: readonly string[];
  offered: readonly string[];
}) {
  const missing = listUnofferedModels(chosen, offered);
  const names = missing.join(", ");
  return (
    <SummaryLine
      name={<Trans>Models</Trans>}
      warning={missing.length > 0 && <Trans>No channel of your group serves {names} now.</Trans>}
    >
      {chosen.length > 0 ? (
        <Plural value={chosen.length} one="# model, no other" other="# models, no others" />
      ) : (
        <Trans>All models of your group, including new ones</Trans>
      )}
    </SummaryLine>
  );
}

function AddressLine({ subnet }: { subnet: string }) {
  const count = computeAddressCount(subnet);
  return (
    <SummaryLine name={<Trans>Called from</Trans>}>
      {count === 0 ? (
        <Trans>Any address</Trans>
      ) : (
        <Plural value={count} one="# address or range" other="# addresses or ranges" />
      )}
    </SummaryLine>
  );
}

function EndLine({ input }: { input: string }) {
  const { i18n } = useLingui();
  // Read once per mount: a render must not read the clock.
  const [nowMs] = useState(() => Date.now());
  const end = findExpiryFromInput(input);
  if (end === undefined) return null;
  if (neverExpires(end)) {
    return (
      <SummaryLine name={<Trans>Works until</Trans>}>
        <Trans>Until you disable or delete it</Trans>
      </SummaryLine>
    );
  }
  return (
    <SummaryLine
      name={<Trans>Works until</Trans>}
      warning={
        end * 1_000 <= nowMs && <Trans>This time has passed, so the key cannot be used.</Trans>
      }
    >
      {formatSeconds(end)}{" "}
      <span className="text-muted">({formatRelative(end, nowMs, i18n.locale)})</span>
    </SummaryLine>
  );
}

function SpendingLine({ values, budgets }: Pick<TokenRightsProps, "values" | "budgets">) {
  const { t } = useLingui();
  const { unlimited_quota: isUnlimited, spending_window: window } = values;
  const total = computeAmountTyped(values.remain_quota);
  const inWindow = computeAmountTyped(values.spending_limit);
  return (
    <SummaryLine
      name={<Trans>Spends</Trans>}
      warning={
        !isUnlimited && total === 0 && <Trans>With a quota of 0, the key cannot be used.</Trans>
      }
    >
      <p>
        {isUnlimited ? (
          <Trans>No total limit</Trans>
        ) : (
          <Trans>
            <Quota units={total} /> in all
          </Trans>
        )}
      </p>
      {window !== "" && (
        <p>
          {inWindow > 0 ? <Quota units={inWindow} isOwn /> : <Trans>No amount yet</Trans>} ·{" "}
          {t(buildBudgetWindowLabel(window))}
        </p>
      )}
      {sortTightest(budgets.filter(({ by_owner }) => by_owner !== true)).map((budget) => (
        <p key={readEntityRef(budget)}>
          <Quota units={budget.amount} isOwn /> · {t(buildBudgetWindowLabel(budget.window))} ·{" "}
          <Trans>set by an administrator</Trans>
        </p>
      ))}
    </SummaryLine>
  );
}

function RateLine({ values }: Pick<TokenRightsProps, "values">) {
  const { t } = useLingui();
  const limits = tokenLimits
    .map(({ name, label }) => ({ name, label, limit: computeAmountTyped(values[name]) }))
    .filter(({ limit }) => limit !== 0);
  return (
    <SummaryLine name={<Trans>How fast</Trans>}>
      {limits.length === 0 ? (
        <Trans>No separate limit</Trans>
      ) : (
        limits.map(({ name, label, limit }) => (
          <p key={name}>
            {t(label)}: {formatInteger(limit)}
          </p>
        ))
      )}
    </SummaryLine>
  );
}

/** `BalanceLine` tells the limit that ends a key's calls before its own quota does. */
function BalanceLine() {
  const self = useQuery(api.query(getSelf));
  const owner = self.data?.data;
  if (owner === undefined || self.error !== null) return null;
  return (
    <SummaryLine name={<Trans>Paid from</Trans>}>
      {isUnlimited(owner) ? (
        <Trans>Your account, no limit</Trans>
      ) : (
        <Trans>
          Your balance, <Quota units={owner.quota} /> now, for all keys together
        </Trans>
      )}
    </SummaryLine>
  );
}

function BatchLine({ form }: { form: ContractForm<TokenFormValues> }) {
  const count = parseNames(useFieldValue(form, "name")).length;
  const isUnlimited = useFieldValue(form, "unlimited_quota");
  const each = computeAmountTyped(useFieldValue(form, "remain_quota"));
  return (
    <SummaryLine name={<Trans>Creates</Trans>}>
      <p>
        <Plural value={count} one="# key" other="# keys" />
      </p>
      {!isUnlimited && (
        <p>
          <Trans>
            <Quota units={count * each} /> for all of them
          </Trans>
        </p>
      )}
    </SummaryLine>
  );
}
