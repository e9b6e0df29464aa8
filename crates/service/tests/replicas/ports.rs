//! Ports of programs that are stopped and started again.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use socket2::{Domain, Socket, Type};

/// Port of 127.0.0.1 that belongs to a test as long as this value lives.
///
/// Its socket is bound and does not listen: the system gives the port to nobody else, neither to a listener without
/// number nor to a connection, while a program that is told the number can listen on it, again after each restart.
pub struct Port {
    number: u16,
    _socket: Socket,
}

impl Port {
    pub fn reserve() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        // The program that listens sets it as well: without it on both sockets the second one cannot be bound.
        socket.set_reuse_address(true).unwrap();
        let any = SocketAddr::from(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
        socket.bind(&any.into()).unwrap();
        let address = socket.local_addr().unwrap().as_socket().unwrap();
        Self {
            number: address.port(),
            _socket: socket,
        }
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{self}")
    }
}

impl fmt::Display for Port {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(formatter)
    }
}

#[test]
fn reserved_port_is_for_those_who_are_told_its_number() {
    use std::net::TcpListener;

    let port = Port::reserve();
    for _ in 0..2 {
        let listener = TcpListener::bind(port.address()).unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), port.number);
    }
    // Others get other ports.
    let others: Vec<_> = (0..500)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    for other in others {
        assert_ne!(other.local_addr().unwrap().port(), port.number);
    }
}
