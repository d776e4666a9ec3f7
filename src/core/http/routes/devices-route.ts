import type { RequestHandler } from 'express';
import { DEVICES } from '../../steps/device.ts';
import { type JsonSchema, jsonAnswer, LIST_ERRORS, object, type Operation, reference } from './operation.ts';

const ANSWER = {
  devices: DEVICES.map((device) => ({
    name: device.name,
    width: device.window_width,
    height: device.window_height,
    pixel_density: device.pixel_density,
    mobile: device.is_mobile,
    touch: device.has_touch,
    user_agent: device.user_agent,
  })),
};

/** Handles `GET /devices`: the values of the field `device`. */
export function createDevicesHandler(): RequestHandler {
  return (_request, response) => void response.json(ANSWER);
}

export const DEVICES_OPERATION: Operation = {
  operationId: 'listDevices',
  tag: 'Capture',
  summary: 'List devices',
  description: 'Lists the devices that the field `device` accepts, with what they set.',
  answers: { 200: jsonAnswer('The devices', reference('DeviceList')) },
  errors: LIST_ERRORS,
};

/** Schemas of `GET /devices`. */
export function deviceSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    Device: object({
      name: { type: 'string', description: 'Value of the field `device`' },
      width: { type: 'integer', description: 'Window width in CSS pixels' },
      height: { type: 'integer', description: 'Window height in CSS pixels' },
      pixel_density: { type: 'number', description: 'Device pixels per CSS pixel' },
      mobile: { type: 'boolean', description: 'True for phones and tablets' },
      touch: { type: 'boolean', description: 'True if the device has a touch screen' },
      user_agent: { type: 'string', description: 'User-Agent header' },
    }),
    DeviceList: object({ devices: { type: 'array', items: reference('Device') } }),
  };
}
