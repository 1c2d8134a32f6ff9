import { useLingui } from "@lingui/react/macro";
import { TextField } from "../../ui/form/field-text.tsx";
import { GroupField } from "../forms/group-field.tsx";

/** Owner and price group, which administrators of the site choose for a new team. */
export function NewTeamFields() {
  const { t } = useLingui();
  return (
    <>
      <TextField
        name="owner"
        label={t`Username of the owner`}
        help={t`The first team admin. Only the owner and administrators hand the team over or delete it.`}
        maxLength={30}
        required
      />
      <GroupField
        name="group"
        help={t`Decides which channels serve its keys and at which price ratio.`}
      />
    </>
  );
}
