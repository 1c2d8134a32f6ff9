import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  type ClaimVerdict,
  type TeamGrant,
  tryClaims,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { getTeam } from "@tollgate/contract/accounts/teams.ts";
import { useState } from "react";
import { findRequestId, readReason } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";
import { buildBudgetWindowLabel } from "../../../components/budgets/budget-words.ts";
import { teamRoleLabels } from "../../../components/teams/team-words.ts";
import { buildQuotaStyle, useSession } from "../../../session.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { type ContractForm, useFieldValue } from "../../../ui/form/form-contract.ts";
import { FilterField, Textarea } from "../../../ui/form/input.tsx";
import { formatQuota } from "../../../ui/format.ts";
import { buildClaimRule, type OidcFormValues } from "./oidc-form-values.ts";

const example = JSON.stringify({ sub: "7f3a", groups: ["engineering"] }, null, 2);

/** `OidcClaimsCard` shows what the rules of the form, saved or not, make of pasted claims. */
export function OidcClaimsCard({ form }: { form: ContractForm<OidcFormValues> }) {
  const { t } = useLingui();
  const { perUnit } = buildQuotaStyle(useSession().status);
  const [claims, setClaims] = useState(example);
  const rules = useFieldValue(form, "rules").map((rule) => buildClaimRule(rule, perUnit));
  const refuses_unmatched = useFieldValue(form, "refuses_unmatched");
  const attempt = useMutation(api.mutation(tryClaims));
  return (
    <Card
      title={<Trans>Try with these claims</Trans>}
      note={<Trans>Shows what the rules in the form do with them. Nothing is saved.</Trans>}
    >
      <div className="flex flex-col gap-3">
        <FilterField label={t`Claims of an ID token, as JSON`}>
          {(id) => (
            <Textarea
              id={id}
              rows={6}
              className="font-mono text-sm!"
              spellCheck={false}
              value={claims}
              onChange={({ target }) => setClaims(target.value)}
            />
          )}
        </FilterField>
        <div>
          <Button
            size="sm"
            busy={attempt.isPending}
            onClick={() => attempt.mutate({ body: { rules, refuses_unmatched, claims } })}
          >
            <Trans>Try the rules</Trans>
          </Button>
        </div>
        {attempt.error !== null && (
          <Alert
            title={readReason(attempt.error, t`Operation failed`)}
            requestId={findRequestId(attempt.error)}
          />
        )}
        {attempt.data !== undefined && <Verdict verdict={attempt.data.data} />}
      </div>
    </Card>
  );
}

function Verdict({
  verdict: { is_admitted, role, group, teams, matched, is_overage },
}: {
  verdict: ClaimVerdict;
}) {
  const { t } = useLingui();
  const places = matched.map((index) => index + 1).join(", ");
  return (
    <Alert
      tone={is_admitted ? "good" : "warn"}
      title={is_admitted ? t`They sign in` : t`They are refused`}
    >
      <ul className="list-disc pl-5">
        <li>{matched.length === 0 ? t`No rule matches.` : t`These rules match: ${places}`}</li>
        {is_admitted && (
          <li>{role === 10 ? t`Role: administrator` : t`Role: user, or what was given by hand`}</li>
        )}
        {is_admitted && <li>{group === "" ? t`Group: stays as it is` : t`Group: ${group}`}</li>}
        {is_admitted && teams.map((given) => <GivenTeamLine key={given.team} given={given} />)}
        {is_overage && (
          <li>{t`The provider left out the groups because there are too many: the account keeps what it has.`}</li>
        )}
      </ul>
    </Alert>
  );
}

function GivenTeamLine({ given: { team, role, budget } }: { given: TeamGrant }) {
  const { t } = useLingui();
  const { status } = useSession();
  const found = useQuery(api.query(getTeam, { params: { id: team } }));
  const name = found.data?.data.name ?? t`Unknown team`;
  const as = t(teamRoleLabels[role]);
  if (budget === null) return <li>{t`Team ${name}: ${as}`}</li>;
  const sum = formatQuota(budget.amount, buildQuotaStyle(status));
  const window = t(buildBudgetWindowLabel(budget.window));
  return <li>{t`Team ${name}: ${as}, with a budget of ${sum} (${window})`}</li>;
}
