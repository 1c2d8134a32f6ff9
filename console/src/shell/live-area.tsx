import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { queryClient } from "../api-queries.ts";
import { ReloadData } from "../ui/part-boundary.tsx";
import { ToastRegion } from "../ui/toast.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";

/**
 * A part that failed has left the page: what it alone had read is dropped, and what the page holds
 * is read again.
 */
async function reloadData() {
  queryClient.removeQueries({ type: "inactive" });
  await queryClient.refetchQueries({ type: "active" });
}

/** The query client for the pages within, and the toasts. */
export function LiveArea() {
  return (
    <QueryClientProvider client={queryClient}>
      <ReloadData value={reloadData}>
        <Breadcrumbs />
        <Outlet />
      </ReloadData>
      <ToastRegion />
    </QueryClientProvider>
  );
}
