import { useLingui } from "@lingui/react/macro";
import { SelectField } from "../../ui/form/field-choice.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";

/**
 * `TokenContentsField` sets how much of the contents of a key's calls is kept, and tells who can
 * read it.
 */
export function TokenContentsField(field: FieldOf<string>) {
  const { t } = useLingui();
  return (
    <SelectField
      {...field}
      label={t`Contents of calls`}
      help={t`The gateway keeps prompts and answers, encrypted, for you and your administrators, and records each view. It deletes them with the key, or after the days set for them.`}
      choices={[
        { value: "", label: t`Keep nothing` },
        { value: "redacted", label: t`Keep without credentials and attachments` },
        { value: "full", label: t`Keep everything` },
      ]}
    />
  );
}
