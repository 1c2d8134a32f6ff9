import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import { Card } from "../../ui/card.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { Checkbox, Input, Textarea } from "../../ui/form/input.tsx";
import type { PlaygroundSettings, SettingsProblem } from "./playground-request.ts";

type PlaygroundSettingsProps = {
  settings: PlaygroundSettings;
  problem: SettingsProblem | undefined;
  onChange: (settings: PlaygroundSettings) => void;
};

/**
 * `PlaygroundSettingsCard` holds the settings that go along with every message. Empty fields are
 * not sent.
 */
export function PlaygroundSettingsCard({ settings, problem, onChange }: PlaygroundSettingsProps) {
  const { t } = useLingui();
  const streamId = useId();
  const set = (changes: Partial<PlaygroundSettings>) => onChange({ ...settings, ...changes });
  return (
    <Card
      title={<Trans>Parameters</Trans>}
      note={<Trans>Empty fields use the provider's defaults.</Trans>}
    >
      <div className="flex flex-col gap-4">
        <SettingField label={t`System prompt`}>
          {(id) => (
            <Textarea
              id={id}
              rows={4}
              value={settings.system}
              onChange={(event) => set({ system: event.target.value })}
            />
          )}
        </SettingField>
        <div className="grid grid-cols-2 gap-3">
          <SettingField
            label={t`Temperature`}
            error={problem === "temperature" ? t`From 0 to 2` : undefined}
          >
            {(id) => (
              <Input
                id={id}
                inputMode="decimal"
                value={settings.temperature}
                onChange={(event) => set({ temperature: event.target.value })}
              />
            )}
          </SettingField>
          <SettingField
            label={t`Max tokens`}
            error={problem === "max_tokens" ? t`A whole number` : undefined}
          >
            {(id) => (
              <Input
                id={id}
                inputMode="numeric"
                value={settings.maxTokens}
                onChange={(event) => set({ maxTokens: event.target.value })}
              />
            )}
          </SettingField>
        </div>
        <SettingField
          label={t`Tools`}
          help={t`A JSON list, as in the API`}
          error={problem === "tools" ? t`Not a JSON list` : undefined}
        >
          {(id) => (
            <Textarea
              id={id}
              rows={5}
              spellCheck={false}
              className="font-mono text-sm!"
              placeholder={'[{ "type": "function", … }]'}
              value={settings.tools}
              onChange={(event) => set({ tools: event.target.value })}
            />
          )}
        </SettingField>
        <label htmlFor={streamId} className="flex items-center gap-2 self-start font-medium">
          <Checkbox
            id={streamId}
            checked={settings.isStream}
            onChange={(event) => set({ isStream: event.target.checked })}
          />
          <Trans>Stream the answer</Trans>
        </label>
      </div>
    </Card>
  );
}

type SettingFieldProps = {
  label: string;
  help?: string;
  error?: string | undefined;
  children: (id: string) => ReactNode;
};

function SettingField({ label, help, error, children }: SettingFieldProps) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      {children(id)}
    </FieldFrame>
  );
}
