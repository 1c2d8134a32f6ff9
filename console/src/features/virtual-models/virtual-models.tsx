import { useParams } from "@tanstack/react-router";
import { VirtualModelAddPage } from "./virtual-model-add-page.tsx";
import { VirtualModelEditPage } from "./virtual-model-edit-page.tsx";
import { VirtualModelListPage } from "./virtual-model-list-page.tsx";

/**
 * The pages of virtual models as one part: each part of its own adds to the script that every page
 * loads.
 */
export function VirtualModels() {
  const { id } = useParams({ strict: false });
  if (id === undefined) return <VirtualModelListPage />;
  return id === "add" ? <VirtualModelAddPage /> : <VirtualModelEditPage />;
}
