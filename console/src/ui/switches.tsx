import { Button } from "./button.tsx";

type SwitchesProps<Value extends string> = {
  label: string;
  choices: readonly { value: Value; label: string }[];
  chosen: Value;
  onChoose: (value: Value) => void;
};

/** `Switches` gives one of a few ways to see the same figures. */
export function Switches<Value extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: SwitchesProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: switches in a row are no form
    <div role="group" aria-label={label} className="flex flex-wrap gap-1 max-sm:gap-0.5">
      {choices.map(({ value, label: text }) => (
        <Button
          key={value}
          size="sm"
          variant="ghost"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
          className="max-sm:px-2 aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {text}
        </Button>
      ))}
    </div>
  );
}
