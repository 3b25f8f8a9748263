import type { DeploymentChange } from './db/deployments/change-feed.ts';
import type { App } from './http/app.ts';
import type { ProvenDomains } from './http/request/proven-domains.ts';

type Caches = {
  pages: Pick<App['pages'], 'cache'>;
  submissions: Pick<App['submissions'], 'forms' | 'store'>;
  proven: ProvenDomains;
};

/** Makes what tells the caches of this process that deployments have changed. */
export function createDeploymentChanges({ pages, submissions: { forms, store }, proven }: Caches) {
  const forget = (deploymentId: string): void => {
    forms.invalidate(deploymentId);
    store.invalidate(deploymentId);
  };
  return {
    /** This process has changed a deployment. */
    async onOwnChange({ deploymentId, slug }: DeploymentChange): Promise<void> {
      pages.cache.invalidate(slug);
      forget(deploymentId);
      // The change is stored. If its domains can't be read now, the change feed has them read.
      await proven.read([deploymentId]).catch(() => undefined);
    },
    /** Any process, this one too, has changed deployments. */
    async onFeedChanges(changes: readonly DeploymentChange[]): Promise<void> {
      for (const { deploymentId, slug } of changes) {
        pages.cache.refresh(slug);
        forget(deploymentId);
      }
      await proven.read(changes.map(({ deploymentId }) => deploymentId));
    },
    /** Changes by other processes may have been missed. */
    async onGap(): Promise<void> {
      pages.cache.refreshAll();
      forms.invalidateAll();
      store.invalidateAll();
      await proven.readAll();
    },
  };
}
