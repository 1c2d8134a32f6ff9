import { type ComponentProps, useEffect, useId, useRef } from "react";
import { Input } from "../../ui/form/input.tsx";

type LoginFieldProps = Omit<ComponentProps<"input">, "onChange" | "value" | "autoFocus"> & {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  autoFocus?: boolean;
};

/** A field of the sign-in page, which loads without the form library. */
export function LoginField({ label, value, onChange, error, autoFocus, ...rest }: LoginFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <Input
        {...rest}
        ref={input}
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        spellCheck={false}
        autoCapitalize="none"
      />
      {error !== undefined && (
        <p id={`${id}-error`} className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  );
}
