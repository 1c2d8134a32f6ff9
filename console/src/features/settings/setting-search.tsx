import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { matchCommands } from "../../shell/match-commands.ts";
import { listSettings } from "../../shell/setting-commands.ts";
import { Combobox } from "../../ui/form/combobox.tsx";

const shownMax = 8;

/**
 * Finds every field by its label, its help or its key, on whichever tab it is: a word, then Enter.
 */
export function SettingSearch() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const settings = listSettings(t, "", (to, hash) => void navigate({ to, hash }));
  const found = typed.trim() === "" ? [] : matchCommands(settings, typed).slice(0, shownMax);
  const open = (id: string | undefined) => {
    if (id === undefined) return;
    setTyped("");
    settings.find((setting) => setting.id === id)?.run();
  };
  return (
    <search className="w-full sm:w-72">
      <Combobox
        input={input}
        label={t`Search settings`}
        placeholder={t`Search settings...`}
        text={typed}
        onText={setTyped}
        suggestions={found.map(({ id, text, detail }) => ({ id, text, detail }))}
        note={typed.trim() !== "" && found.length === 0 ? <Trans>No results.</Trans> : undefined}
        onPick={({ id }) => open(id)}
        onSubmit={() => open(found[0]?.id)}
      />
    </search>
  );
}
