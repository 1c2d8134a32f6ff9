import { operationSections } from "../../components/settings/operation-sections.ts";
import { ClearLogsCard } from "./clear-logs-card.tsx";
import { OptionTab } from "./option-tab.tsx";

export const OperationTab = () => (
  <OptionTab sections={operationSections} end={<ClearLogsCard />} />
);
