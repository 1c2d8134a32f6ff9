import { systemSections } from "../../components/settings/system-sections.ts";
import { OptionTab } from "./option-tab.tsx";
import { TelemetryCard } from "./telemetry-card.tsx";

export const SystemTab = () => <OptionTab sections={systemSections} end={<TelemetryCard />} />;
