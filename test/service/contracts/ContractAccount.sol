// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IContractAccount {
    /// EIP-1271.
    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4);
}

/// An account that is a contract: its owner's key signs for it and acts through it.
contract ContractAccount is IContractAccount {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        address recovered = ecrecover(hash, v, r, s);
        return recovered != address(0) && recovered == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function execute(address target, bytes calldata data) external returns (bytes memory) {
        require(msg.sender == owner, "ContractAccount: not the owner");
        (bool isDone, bytes memory result) = target.call(data);
        require(isDone, "ContractAccount: the call failed");
        return result;
    }
}

/// Addresses are known before there is anything at them, so that accounts sign before they exist (ERC-6492).
contract ContractAccountFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        address account = addressOf(owner, salt);
        if (account.code.length == 0) new ContractAccount{salt: salt}(owner);
        return account;
    }

    function addressOf(address owner, bytes32 salt) public view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(ContractAccount).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
