import { useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useRef, useState } from "react";
import {
  type Control,
  type DefaultValues,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  type UseFormReturn,
  useForm,
  useFormState,
  useWatch,
} from "react-hook-form";
import { buildContractResolver, type FormSchema } from "./contract-resolver.ts";

/** The props of a field component: its name, typed by the field's value. */
export type FieldOf<Value> = { name: string; kind?: Value };

/** `FormRefusal` says why the server refused the form. */
export type FormRefusal = { message: string; requestId: string | undefined; isConflict: boolean };

/** `unfinished` is returned by a save that needs another step before anything is stored. */
export const unfinished = Symbol("unfinished");

type ContractFormOptions<In extends FieldValues, Out> = {
  schema: FormSchema<In, Out>;
  initial: In;
  /**
   * Saves the values. The form shows what it throws; after `unfinished` it keeps its changes and
   * asks for more.
   */
  onSubmit: (values: Out) => Promise<unknown>;
  /** The message when the server gives no reason. */
  failure?: string;
};

export type ContractForm<In extends FieldValues> = {
  methods: UseFormReturn<In, unknown, unknown>;
  submit: (event: SubmitEvent<HTMLFormElement>) => void;
  refusal: FormRefusal | undefined;
  isBusy: boolean;
  isDirty: boolean;
  /** True when leaving the page would lose changes. */
  hasUnsavedChanges: () => boolean;
  field: <Name extends FieldPath<In>>(name: Name) => FieldOf<FieldPathValue<In, Name>>;
  set: <Name extends FieldPath<In>>(name: Name, value: FieldPathValue<In, Name>) => void;
};

/** Validation, server errors, busy state and focus on the first error, for all forms. */
export function useContractForm<In extends FieldValues, Out>({
  schema,
  initial,
  onSubmit,
  failure,
}: ContractFormOptions<In, Out>) {
  const { t } = useLingui();
  const methods = useForm<In, unknown, Out>({
    resolver: buildContractResolver(schema),
    defaultValues: initial as DefaultValues<In>,
    shouldFocusError: true,
  });
  const { isDirty, isSubmitting, isSubmitted } = useFormState({ control: methods.control });
  const [refusal, setRefusal] = useState<FormRefusal>();
  // A ref, because the navigation after a save happens before the next render.
  const isSaving = useRef(false);

  const save = methods.handleSubmit(async (values) => {
    setRefusal(undefined);
    isSaving.current = true;
    try {
      const outcome = await onSubmit(values);
      // In a form that stays on the page, the saved values become the initial ones.
      if (outcome !== unfinished) methods.reset(methods.getValues());
    } catch (error) {
      setRefusal(buildRefusal(error, failure ?? t`Operation failed`));
      showFieldErrors(methods, initial, error);
    } finally {
      isSaving.current = false;
    }
  });

  const form: ContractForm<In> = {
    methods: methods as unknown as UseFormReturn<In, unknown, unknown>,
    submit: (event) => {
      event.preventDefault();
      if (!isSubmitting) void save(event);
    },
    refusal,
    isBusy: isSubmitting,
    isDirty,
    hasUnsavedChanges: () => isDirty && !isSaving.current,
    field: (name) => ({ name }),
    set: (name, value) => {
      methods.setValue(name, value, {
        shouldDirty: true,
        shouldTouch: true,
        shouldValidate: isSubmitted,
      });
    },
  };
  return form;
}

/** The current value of one field. Only the calling component renders on its changes. */
export function useFieldValue<In extends FieldValues, Name extends FieldPath<In>>(
  form: ContractForm<In>,
  name: Name,
) {
  return useWatch({ control: form.methods.control as Control<In>, name });
}

function buildRefusal(error: unknown, fallback: string): FormRefusal {
  const { message, requestId, status } = (error ?? {}) as {
    message?: unknown;
    requestId?: unknown;
    status?: unknown;
  };
  return {
    message: typeof message === "string" && message !== "" ? message : fallback,
    requestId: typeof requestId === "string" && requestId !== "" ? requestId : undefined,
    isConflict: status === 409,
  };
}

/** Shows the errors of a 400 reply at the fields it names. */
function showFieldErrors<In extends FieldValues, Out>(
  methods: UseFormReturn<In, unknown, Out>,
  initial: In,
  error: unknown,
) {
  const { fields } = (error ?? {}) as { fields?: Record<string, string> };
  let isFirst = true;
  for (const [name, message] of Object.entries(fields ?? {})) {
    if (!Object.hasOwn(initial, name)) continue;
    methods.setError(name as FieldPath<In>, { message }, { shouldFocus: isFirst });
    isFirst = false;
  }
}
