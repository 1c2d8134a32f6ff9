import { Trans } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useWatch } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { TextAreaField } from "../../ui/form/field-text.tsx";

const RichText = lazy(async () => ({
  default: (await import("../../components/texts/rich-text.tsx")).RichText,
}));

type RichTextInputProps = { name: string; label: string; help: ReactNode };

/** A text of the operator, with an optional preview. */
export function RichTextInput({ name, label, help }: RichTextInputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <TextAreaField
        name={name}
        label={label}
        help={help}
        rows={6}
        aside={
          <Button
            size="sm"
            variant="ghost"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            <Trans>Preview</Trans> <span className="sr-only">{label}</span>
          </Button>
        }
      />
      {isShown && <Preview name={name} />}
    </div>
  );
}

function Preview({ name }: { name: string }) {
  const source: unknown = useWatch({ name });
  return (
    <div className="max-h-96 overflow-y-auto rounded-md border border-line bg-page p-3">
      <Suspense>
        <RichText source={String(source)} />
      </Suspense>
    </div>
  );
}
