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
      help={t`Prompts and answers are kept, sealed, for you and those who manage your account; each view is recorded. They are deleted with the key or when their days are over.`}
      choices={[
        { value: "", label: t`Keep nothing` },
        { value: "redacted", label: t`Keep without credentials and attachments` },
        { value: "full", label: t`Keep everything` },
      ]}
    />
  );
}
