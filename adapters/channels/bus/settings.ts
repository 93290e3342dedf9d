/** The settings of an EventBridge bus: `to: { bus: … }` of a subscription. */

export interface BusSettings {
  /** The name of the bus, or its ARN when it belongs to another account or region. */
  readonly name: string;
}
