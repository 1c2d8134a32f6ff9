import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { useWatch } from "react-hook-form";
import { api } from "../../api-queries.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form/field-choice.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";

/** The current group is always an option, even when the list of groups fails or lacks it. */
export function GroupField({ name, help }: FieldOf<string> & { help: string }) {
  const { t } = useLingui();
  const chosen: unknown = useWatch({ name });
  const groups = useQuery(api.query(listGroups));
  const offered = [...new Set([String(chosen), ...(groups.data?.data ?? [])])];
  return (
    <SelectField
      name={name}
      label={t`Group`}
      help={groups.error === null ? help : groups.error.message}
      aside={
        groups.error !== null && (
          <Button size="sm" busy={groups.isFetching} onClick={() => void groups.refetch()}>
            <Trans>Retry</Trans>
          </Button>
        )
      }
      choices={offered.map((group) => ({ value: group, label: group }))}
      required
    />
  );
}
