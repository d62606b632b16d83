/** The objects of an inventory and their properties, in the form that extensions files and the schema view have. */

/**
 * Types of properties: `str`, `int`, `float`, `bool`; `~NAME` a value type of values.ts; `:NAME` an object; `nodeset`,
 * a name that unfolds; `slot`, the first of a row of slots; `$OBJECT.PROPERTY` a reference; `^NAME` the object
 * that holds this one; `list[TYPE]`.
 */
export interface Property {
  readonly type: string;
  readonly description?: string;
  /** Names the objects of a list: these may be written as a mapping by it. */
  readonly key?: boolean;
  readonly optional?: boolean;
  readonly default?: unknown;
  /** Made by us and refused in files. */
  readonly computed?: boolean;
}

export interface ObjectType {
  readonly description?: string;
  readonly properties: Readonly<Record<string, Property>>;
}

export interface Schema {
  readonly content: ObjectType;
  readonly objects: Readonly<Record<string, ObjectType>>;
}

/** Version of the schema's form. */
export const SCHEMA_VERSION = '1';

const R = (type: string, description = ''): Property => ({ type, description });
const K = (type: string, description = ''): Property => ({ type, description, key: true });
const O = (type: string, description = ''): Property => ({ type, description, optional: true });
const D = (type: string, value: unknown, description = ''): Property => ({
  type,
  description,
  default: value,
});
const C = (type: string): Property => ({ type, computed: true, optional: true });

const NETIF = { type: R('~netif_type'), bandwidth: R('~bits', 'bits per second') };

function equipment(name: string, type: string): ObjectType {
  return {
    description: `A set of ${name} in a rack`,
    properties: {
      name: K('nodeset', 'names, folded'),
      infrastructure: C('^RacksDBInfrastructure'),
      rack: C('$RacksDBRack.name'),
      type: R(`$${type}.id`),
      slot: R('slot', 'unit of the first'),
      tags: D('list[str]', []),
      position: C(':RacksDBPosition'),
      column: O('int', 'column of the first, counted from 0, in a chassis that is filled in part'),
    },
  };
}

function equipmentType(
  description: string,
  own: Readonly<Record<string, Property>>,
  width: Property,
): ObjectType {
  return {
    description,
    properties: {
      id: K('str'),
      model: R('str'),
      height: R('~rack_height', 'rack units'),
      width,
      specs: O('str', 'where its data sheet is'),
      ...own,
      face: O('str', 'side on which it is mounted: front, rear or both'),
      depth: O('~dimension', 'mm'),
    },
  };
}

const FULL = D('~rack_width', { p: 1, q: 1 }, 'share of the inner width');

/** The built-in objects. */
export const SCHEMA: Schema = {
  content: {
    properties: {
      types: R(':RacksDBTypes'),
      datacenters: R('list[:RacksDBDatacenter]'),
      infrastructures: R('list[:RacksDBInfrastructure]'),
    },
  },
  objects: {
    RacksDBTypes: {
      properties: {
        nodes: D('list[:RacksDBNodeType]', []),
        storage: D('list[:RacksDBStorageType]', []),
        network: D('list[:RacksDBNetworkType]', []),
        misc: D('list[:RacksDBMiscType]', []),
        racks: R('list[:RacksDBRackType]'),
      },
    },
    RacksDBNodeType: equipmentType(
      'A model of node',
      {
        cpu: R(':RacksDBNodeTypeCpu'),
        ram: R(':RacksDBNodeTypeRam'),
        storage: O('list[:RacksDBNodeTypeStorage]'),
        netifs: O('list[:RacksDBNodeTypeNetif]'),
        gpu: O('list[:RacksDBNodeTypeGpu]'),
      },
      R('~rack_width', 'share of the inner width'),
    ),
    RacksDBNodeTypeCpu: {
      properties: { model: R('str'), specs: O('str'), sockets: R('int'), cores: R('int', 'of one socket') },
    },
    RacksDBNodeTypeRam: { properties: { dimm: R('int'), size: R('~bytes', 'of one module') } },
    RacksDBNodeTypeStorage: { properties: { type: R('~storage_type'), size: R('~bytes'), model: O('str') } },
    RacksDBNodeTypeNetif: { properties: NETIF },
    RacksDBNodeTypeGpu: { properties: { model: R('str'), specs: O('str'), memory: R('~bytes') } },
    RacksDBStorageType: equipmentType(
      'A model of storage',
      { disks: O('list[:RacksDBStorageTypeDisk]'), netifs: O('list[:RacksDBStorageTypeNetif]') },
      FULL,
    ),
    RacksDBStorageTypeDisk: {
      properties: { type: R('~storage_type'), size: R('~bytes'), model: O('str'), number: R('int') },
    },
    RacksDBStorageTypeNetif: { properties: NETIF },
    RacksDBNetworkType: equipmentType(
      'A model of network equipment',
      { netifs: O('list[:RacksDBNetworkTypeNetif]') },
      FULL,
    ),
    RacksDBNetworkTypeNetif: { properties: { ...NETIF, number: R('int') } },
    RacksDBMiscType: equipmentType('A model of other equipment', {}, FULL),
    RacksDBRackType: {
      description: 'A model of rack',
      properties: {
        id: K('str'),
        height: R('~dimension', 'mm'),
        width: R('~dimension', 'mm'),
        depth: R('~dimension', 'mm'),
        slots: R('~rack_height', 'rack units'),
        initial: D('int', 1, 'number of the lowest unit'),
      },
    },
    RacksDBDatacenter: {
      properties: {
        name: K('str'),
        rooms: R('list[:RacksDBRoom]'),
        tags: O('list[str]'),
        location: O(':RacksDBLocation'),
      },
    },
    RacksDBLocation: { properties: { longitude: R('float'), latitude: R('float') } },
    RacksDBRoom: {
      properties: {
        name: K('str'),
        datacenter: C('^RacksDBDatacenter'),
        dimensions: R(':RacksDBRoomDimensions'),
        rows: O('list[:RacksDBRow]'),
      },
    },
    RacksDBRoomDimensions: { properties: { width: R('~dimension'), depth: R('~dimension') } },
    RacksDBRow: {
      properties: {
        name: K('str'),
        room: C('^RacksDBRoom'),
        position: R(':RacksDBRowPosition'),
        racks: R('list[:RacksDBRack]'),
        nbracks: C('int'),
        reversed: D('bool', false),
      },
    },
    RacksDBRowPosition: {
      properties: {
        width: R('~dimension'),
        depth: R('~dimension'),
        rotation: D('~angle', 0, 'degrees clockwise'),
      },
    },
    RacksDBRack: {
      properties: {
        name: R('nodeset'),
        slot: D('slot', 0, 'place of the first in its row'),
        type: R('$RacksDBRackType.id'),
        datacenter: C('^RacksDBDatacenter'),
        room: C('^RacksDBRoom'),
        row: C('^RacksDBRow'),
        tags: O('list[str]'),
        nodes: C('list[:RacksDBNode]'),
        fillrate: C('float'),
      },
    },
    RacksDBInfrastructure: {
      properties: {
        name: K('str'),
        description: R('str'),
        layout: R('list[:RacksDBPart]'),
        tags: O('list[str]'),
      },
    },
    RacksDBPart: {
      properties: {
        rack: R('$RacksDBRack.name'),
        nodes: D('list[:RacksDBNode]', []),
        storage: D('list[:RacksDBStorageEquipment]', []),
        network: D('list[:RacksDBNetworkEquipment]', []),
        misc: D('list[:RacksDBMiscEquipment]', []),
        tags: O('list[str]'),
      },
    },
    RacksDBNode: equipment('nodes', 'RacksDBNodeType'),
    RacksDBStorageEquipment: equipment('storage', 'RacksDBStorageType'),
    RacksDBNetworkEquipment: equipment('network equipment', 'RacksDBNetworkType'),
    RacksDBMiscEquipment: equipment('other equipment', 'RacksDBMiscType'),
    RacksDBPosition: {
      properties: { height: R('int', 'units above the bottom'), width: R('int', 'columns from the left') },
    },
  },
};
