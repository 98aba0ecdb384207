import type { ApiResponse } from './api.ts';
import { announcement, put } from './transfer.ts';

interface Asker {
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: object): Promise<ApiResponse>;
}

export function goodRequestsOfParts(at: string, { get, post }: Asker): Record<string, () => Promise<ApiResponse>> {
  const inParts = async () => `${at}/${(await post(at, { ...announcement(), parts: true })).body.upload_id}`;
  return {
    [`GET ${at}/:id`]: async () => get(await inParts()),
    [`POST ${at}/:id/parts`]: async () => post(`${await inParts()}/parts`, { numbers: [1] }),
    [`POST ${at}/:id/complete`]: async () => {
      const upload = await inParts();
      const [{ url, headers }] = (await post(`${upload}/parts`, { numbers: [1] })).body.parts;
      await put({ upload_url: url, headers }, 'hello');
      return post(`${upload}/complete`);
    },
  };
}
