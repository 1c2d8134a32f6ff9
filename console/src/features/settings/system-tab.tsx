import { systemSections } from "../../components/settings/system-sections.ts";
import { OptionTab, type OptionTabPart } from "./option-tab.tsx";
import { TelemetryCard } from "./telemetry-card.tsx";

const parts: readonly OptionTabPart[] = [
  { id: "telemetry", title: undefined, part: <TelemetryCard /> },
];

export const SystemTab = () => <OptionTab sections={systemSections} parts={parts} />;
