import { Api } from '../api.ts';
import { type ServiceProcess, startProcess } from '../process.ts';
import { anyPages, startTestService, type TestBusiness, type TestService } from '../service.ts';

interface MeteredProcess {
  url: string;
  anonymous: Api;
  process: ServiceProcess;
}

/** A service in a separate process whose event loop is measured, and one in this process on the same database. */
export interface MeteredService extends MeteredProcess {
  /** All requests to this service are measured. */
  service: TestService;
  another(): Promise<MeteredProcess>;
  stop(): Promise<void>;
}

/** A rate that no test uses up. Without a rate, nothing would be charged. */
const UNITS = '1000000000';
const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: UNITS,
  RATE_LIMIT_BURST: UNITS,
  PUBLIC_RATE_LIMIT_PER_MINUTE: UNITS,
  MONTHLY_MESSAGE_LIMIT: '0',
  LOG_LEVEL: 'error',
};

/** The measured process also does the work of workers. The other one has only an API. */
export async function startMetered(env: Record<string, string> = {}): Promise<MeteredService> {
  const preparing = await startTestService(env, 'api');
  const another = async (args: string[] = []): Promise<MeteredProcess> => {
    const pages = anyPages();
    const settings = { DATABASE_URL: preparing.databaseUrl, ...UNLIMITED, ...env };
    const process = await startProcess({
      env: settings,
      args: [...args, ...(pages === undefined ? [] : ['--pages', pages])],
      isMetered: true,
    });
    return { url: process.url, anonymous: new Api(process.url), process };
  };
  const measured = await another();
  const { url, anonymous, process } = measured;
  const moved = (business: TestBusiness): TestBusiness => ({
    ...business,
    api: business.api.at(url),
    withKey: async (scope) => (await business.withKey(scope)).at(url),
  });
  const business: TestService['business'] = async (handle, options) => moved(await preparing.business(handle, options));
  return {
    ...measured,
    service: { ...preparing, url, anonymous, business },
    another: () => another(),
    stop: async () => {
      await process.stop();
      await preparing.stop();
    },
  };
}
