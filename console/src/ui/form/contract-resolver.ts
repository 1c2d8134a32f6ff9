import { type FieldErrors, type FieldValues, get, type Resolver, set } from "react-hook-form";

/** The part of the Standard Schema interface (standardschema.dev) that a form needs. */
export interface FormSchema<In, Out> {
  readonly "~standard": {
    validate(values: unknown): SchemaResult<Out> | Promise<SchemaResult<Out>>;
    types?: { input: In } | undefined;
  };
}

type SchemaResult<Out> =
  | { value: Out; issues?: undefined }
  | {
      issues: readonly {
        message: string;
        path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
      }[];
    };

/** Validates a form by its schema, with the first issue of each field. */
export function buildContractResolver<In extends FieldValues, Out>(
  schema: FormSchema<In, Out>,
): Resolver<In, unknown, Out> {
  return async (values) => {
    const result = await schema["~standard"].validate(values);
    if (!result.issues) return { values: result.value, errors: {} };
    const errors: FieldErrors<In> = {};
    for (const { path = [], message } of result.issues) {
      const name =
        path.map((step) => String(typeof step === "object" ? step.key : step)).join(".") || "root";
      if (!get(errors, name)) set(errors, name, { type: "contract", message });
    }
    return { values: {}, errors };
  };
}
