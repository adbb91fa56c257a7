/** One diagram of each type, and texts that its image must contain. */
export const diagrams = {
  flowchart: {
    labels: ['Start', 'Is it valid?', 'Yes', 'Call foo(bar[0])', 'No', 'End', 'US East', 'hex'],
    source: `%%{init: {"theme": "dark"}}%%
flowchart LR
  A[Start] --> B{Is it valid?}
  B -->|Yes| C["Call foo(bar[0])"]
  B-- No -->D((End))
  C-.->D
  D ==> E[(DB)] & F([stadium])
  subgraph us-east [US East]
    direction TB
    F --> G{{hex}}:::wide
  end
  classDef wide fill:#f00`,
  },
  'sequence diagram': {
    labels: ['Web Browser', 'User', 'Auth Server', 'GET /login', '1. Open', 'retries', 'slow'],
    source: `sequenceDiagram
  autonumber
  participant W as Web Browser
  actor U as User
  U->>W: Open page
  W->>+Auth Server: GET /login; "x"
  Auth Server-->>-W: 200 OK
  alt accepted
    W-->>U: Show
  else retries left
    W--xU: Error
  end
  Note over W,U: slow`,
  },
  'class diagram': {
    labels: ['Animal', 'Dog', 'Cat', 'name', 'age', 'String', 'eat', 'owns', 'Box&lt;T&gt;'],
    source: `classDiagram
  class Animal {
    <<abstract>>
    +String name
    +age: int
    +eat(food: Food): void
  }
  Animal <|-- Dog
  Animal <|--Cat
  Owner "1" --> "*" Dog : owns
  Dog : +bark()
  class Box~T~`,
  },
  'state diagram': {
    labels: ['Idle', 'Is running', 'start', 'Update', 'Load'],
    source: `stateDiagram-v2
  [*] --> Idle
  Idle --> Running : start
  Running : Is running
  Idle --> Update
  state Update {
    [*] --> Load
    Load --> [*]
  }
  Update --> [*]`,
  },
  'entity relationship diagram': {
    labels: ['CUSTOMER', 'ORDER', 'Line Item', 'places', 'varchar(255)', 'email', 'PK', 'contains'],
    source: `erDiagram
  CUSTOMER ||--o{ ORDER : places
  ORDER }o--|| "Line Item" : contains
  CUSTOMER {
    int id PK
    varchar(255) email UK "for messages"
  }`,
  },
} as const;
