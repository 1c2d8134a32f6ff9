import { type ReactNode, useId } from "react";
import { type ControllerRenderProps, type FieldValues, useController } from "react-hook-form";

export type FieldTexts = {
  label: ReactNode;
  help?: ReactNode;
  /** Shown at the right end of the label's line. */
  aside?: ReactNode;
  required?: boolean;
};

/** Attributes that connect the control with its label, help and error. */
export type FieldAria = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "aria-required": true | undefined;
};

type FieldFrameProps = FieldTexts & { id: string; error: string | undefined; children: ReactNode };

/** Label above; help below, or the error in its place. */
export function FieldFrame({ id, label, help, aside, error, children }: FieldFrameProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children}
      <FieldHelp id={id} help={help} error={error} />
    </div>
  );
}

export function FieldHelp({
  id,
  help,
  error,
}: {
  id: string;
  help: ReactNode;
  error: string | undefined;
}) {
  if (error !== undefined) {
    return (
      <p id={`${id}-error`} className="text-bad text-sm">
        {error}
      </p>
    );
  }
  if (help === undefined) return null;
  return (
    <div id={`${id}-help`} className="text-muted text-sm">
      {help}
    </div>
  );
}

type BoundFormField<Value> = {
  id: string;
  field: Omit<ControllerRenderProps<FieldValues, string>, "value"> & { value: Value };
  error: string | undefined;
  aria: FieldAria;
};

/** Connects a control to the surrounding form: value, error and ARIA attributes. */
export function useField<Value>(
  name: string,
  { help, required }: Pick<FieldTexts, "help" | "required">,
): BoundFormField<Value> {
  const id = useId();
  const { field, fieldState } = useController({ name });
  const error = fieldState.error?.message;
  const describedBy =
    error !== undefined ? `${id}-error` : help !== undefined ? `${id}-help` : undefined;
  return {
    id,
    field: { ...field, value: field.value as Value },
    error,
    aria: {
      id,
      "aria-describedby": describedBy,
      "aria-invalid": error === undefined ? undefined : true,
      "aria-required": required === true ? true : undefined,
    },
  };
}
