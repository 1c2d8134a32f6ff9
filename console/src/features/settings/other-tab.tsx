import { msg } from "@lingui/core/macro";
import { useParams } from "@tanstack/react-router";
import { otherSections } from "../../components/settings/other-sections.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { DualRunCard } from "./dual-run-card.tsx";
import { OptionTab, type OptionTabPart } from "./option-tab.tsx";
import { SiteImportCard } from "./site-import-card.tsx";
import { VersionCard } from "./version-card.tsx";

const SiteImportPage = buildLazyPart(
  async () => (await import("./site-import/site-import-page.tsx")).SiteImportPage,
);

const parts: readonly OptionTabPart[] = [
  { id: "dual-run", title: msg`Dual run`, part: <DualRunCard /> },
  { id: "import", title: undefined, part: <SiteImportCard /> },
  { id: "updates", title: msg`Updates`, part: <VersionCard /> },
];

/**
 * The import has an address of its own below the tab's: nothing else of the settings is needed
 * beside it.
 */
export function OtherTab() {
  const { id } = useParams({ strict: false });
  if (id === "import") return <SiteImportPage />;
  return <OptionTab sections={otherSections} parts={parts} />;
}
